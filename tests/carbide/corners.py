"""Kernels for the agreement of Carbide and the evaluator: what was once found to differ, made small, and corners that
random kernels seldom reach."""

from __future__ import annotations

FOUND = {
    "a sum ends at the braces around its own loops": """
        sp a[3] = {1., 2., 3.}, s, t, u = 7., v;
        main {
          i in [0, 2) { j in [0, 3) s = ∑ a[j]; }
          i in [0, 2) j in [0, 3) t = ∑ a[j];
          i in [0, 0) { j in [0, 3) u = ∑ a[j]; }
          i in [0, 2) { v = ∑ a[i]; }
        }
    """,
    "a subscript with effects is evaluated once": """
        xp a[4] = {1, 2, 3, 4}, b[3] = {2, 0, 1}, n;
        iterator it = o in [0, ∞) i in [0, 3) b[i];
        function next() { n += 1; return n; }
        main { a[it[]] *= 10; a[next()] += 7; a[it[] + next()] -= 1; a[it[]] = it[]; }
    """,
    "arms that call one function, parallel in parallel, more arms than microthreads": """
        xp a[8] = {1,2,3,4,5,6,7,8}, b[8], c[8], d[8];
        xp n, m, k;
        function add(xp v[], xp x) { xp t = x; i in [0,8) { v[i] = v[i] + t; t += 1; } return t; }
        function deep(xp x) { xp y = 0; parallel { { y = x + 1; } { n = x; } } return y; }
        main {
          parallel { m = add(a, 1); k = add(b, 2); { add(c, 3); add(d, 4); } }
          n = deep(3) + deep(4);
          parallel { { parallel { b[0] = 1; b[1] = 2; { b[2] = 3; parallel { b[3] = 4; b[4] = 5; } b[5] = b[3] + b[4]; } } c[0] = 9; } d[0] = 1; d[1] = 2; d[2] = 3; d[3] = 4; d[4] = 5; d[5] = 6; d[6] = 7; d[7] = 8; c[2] = 1; c[3]= 2; c[4] = 7; }
        }
    """,
    "typedefs, nested and anonymous records, u64, wavelets": """
        typedef sp V3[3];
        struct P { V3 r; xp id; union { u32 u; xp h[2]; }; struct { hp a; i32 b; } in; };
        V3 x[4];
        struct P ps[3] = {{{1.,2.,3.}, 4, {5}, {6., 7}}};
        u64 big = 0x123456789a, q, d1, m1, s1; u32 lo; xp z; sp f; hp g; wv w = {0x1234, 0x5678}; u32 wu; sp ws; xp wx;
        xp const T[4] = {3,1,2,0};
        let i in [0,3); let j in [0,3);
        main {
          ∀i ∀j x[i][j] = (sp)(i*3+j);
          x[3] = x[1];
          ps[1] = ps[0]; ps[1].h[1] = 7; ps[2].r = x[2]; ps[2].in.b = -5; ps[2].in.a = ps[0].in.a * 2.0;
          q = big * 3 + 1; d1 = big / 7; m1 = big % 1000; s1 = big << 20; lo = (u32) big; z = (xp) big; f = big; g = (hp) q;
          q = (u64) z;
          wu = w; ws = w; wx = w; w = ws;
          ∀i z += T[i] * T[T[i]];
          q = z < 0 ? (u64)(u32) z : (u64) z;
          lo = q > big ? 1 : 2;
        }
    """,
    "every type converted into every other": """
        xp x[6] = {-1, 0, 1, -32768, 32767, 300}; u16 u[6] = {0, 1, 65535, 32768, 32767, 2}; i32 w[6] = {-1, 70000, -2147483647, 2147483647, 16777217, 0};
        u32 v[6] = {4294967295, 2147483648, 65536, 33554433, 1, 0}; u64 b[6] = {0xffffffffffffffff, 0x8000000000000000, 9007199254740993, 16777217, 65520, 3};
        hp h[6] = {-1.5, 65504., 6.0e-8, 0.999, -0.0, 300.7}; sp s[6] = {3.0e9, -3.0e9, 65519.9, 1.0e-8, -0.5, 5.0e4}; wv y[6];
        xp x1[6],x2[6],x3[6],x4[6],x5[6],x6[6]; u16 u1[6],u2[6],u3[6],u4[6],u5[6],u6[6];
        i32 w1[6],w2[6],w3[6],w4[6],w5[6],w6[6]; u32 v1[6],v2[6],v3[6],v4[6],v5[6],v6[6]; u64 b1[6],b2[6],b3[6],b4[6],b5[6],b6[6];
        hp h1[6],h2[6],h3[6],h4[6],h5[6],h6[6]; sp s1[6],s2[6],s3[6],s4[6],s5[6],s6[6];
        xp x7[6]; wv y2[6], y3[6], y4[6]; hp h7[6]; sp s7[6]; u64 b7[6]; u32 v7[6];
        let i in [0,6);
        main {
        ∀i x1[i]=u[i]; ∀i x2[i]=w[i]; ∀i x3[i]=v[i]; ∀i x4[i]=b[i]; ∀i x5[i]=h[i]; ∀i x6[i]=s[i];
        ∀i u1[i]=x[i]; ∀i u2[i]=w[i]; ∀i u3[i]=v[i]; ∀i u4[i]=b[i]; ∀i u5[i]=h[i]; ∀i u6[i]=s[i];
        ∀i w1[i]=u[i]; ∀i w2[i]=x[i]; ∀i w3[i]=v[i]; ∀i w4[i]=b[i]; ∀i w5[i]=h[i]; ∀i w6[i]=s[i];
        ∀i v1[i]=u[i]; ∀i v2[i]=w[i]; ∀i v3[i]=x[i]; ∀i v4[i]=b[i]; ∀i v5[i]=h[i]; ∀i v6[i]=s[i];
        ∀i b1[i]=u[i]; ∀i b2[i]=w[i]; ∀i b3[i]=v[i]; ∀i b4[i]=x[i]; ∀i b5[i]=h[i]; ∀i b6[i]=s[i];
        ∀i h1[i]=u[i]; ∀i h2[i]=w[i]; ∀i h3[i]=v[i]; ∀i h4[i]=b[i]; ∀i h5[i]=x[i]; ∀i h6[i]=s[i];
        ∀i s1[i]=u[i]; ∀i s2[i]=w[i]; ∀i s3[i]=v[i]; ∀i s4[i]=b[i]; ∀i s5[i]=h[i]; ∀i s6[i]=x[i];
        ∀i y[i] = x[i]; ∀i x7[i] = y[i]; ∀i y2[i] = h[i]; ∀i h7[i] = y2[i]; ∀i y3[i] = s[i]; ∀i s7[i] = y3[i];
        ∀i b7[i] = y3[i]; ∀i y4[i] = b[i]; ∀i v7[i] = y4[i];
        }
    """,
    "constants converted": """
        xp param PX = -2; hp param PH = -1.5; sp param PS = 3.0e9; u32 param PV = 4294967295; i32 param PW = -5;
        hp const NAN = 0.0/0.0;
        sp a, b, c, d, e; xp k, l, m; u32 n; hp h, g; wv w1, w2;
        sp inf;
        main {
         a = PV; b = PW; c = (sp)PX / 0.0; d = PH * PX; e = (hp) PS; k = (xp) PS; l = PX >> 1; m = PX / 0 ; n = PX; h = PV; g = NAN;
         w1 = PX; w2 = PH; inf = 1.0e38 * PS * 10.0;
        }
    """,
    "copies of records whose places are not known": """
        struct S { xp n; sp v; hp h[3]; u32 w; };
        struct S ss[4] = {{1, 2., {3., 4., 5.}, 6}, {7, 8., {9., 10., 11.}, 12}};
        xp a[4][3] = {{1, 2, 3}, {4, 5, 6}, {7, 8, 9}, {10, 11, 12}}, p[3][3], q[3][3], n;
        function next() { n += 1; return n; }
        function set(struct S x, struct S y[]) { x = y[1]; y[2] = x; }
        main {
          ss[next()] = ss[0];
          set(ss[3], ss);
          p.base = a.base + 1; q.base = a.base;
          p[0] = q[0]; p[1] = p[2]; q[2] = p[1];
          #pragma vectorize off
          i in [0, 3) ss[i] = ss[i + 1];
        }
    """,
    "many live variables, 64 bits, calls in calls": """
        u64 a = 1, b = 2, c = 3, d = 4, r; sp s[8] = {1.,2.,3.,4.,5.,6.,7.,8.}; xp out[4];
        function mix(u64 p, u64 q, u64 t, u64 v) {
          u64 x = p + q; u64 y = q * t; u64 z = t ^ v; u64 w = (v << 3) | p; u64 k = x / 3; u64 l = y % 5;
          i in [0, 3) { x += y; y = y ^ z; z = z * 3 + w; w = w - k; if (x > w) k += l; else l = l + (x & 15); }
          return x + y * z - w + k - l;
        }
        function many(sp a0, sp a1, sp a2, sp a3, sp a4, sp a5, sp a6, sp a7, sp a8, sp a9) {
          sp b0 = a0 * a1; sp b1 = a1 * a2; sp b2 = a2 * a3; sp b3 = a3 * a4; sp b4 = a4 * a5; sp b5 = a5 * a6; sp b6 = a6*a7; sp b7 = a7*a8; sp b8 = a8*a9; sp b9 = a9*a0;
          i in [0, 2) { sp t = b0; b0 = b1 + a0*b2; b1 = b2 - a1*b3; b2 = b3 * t; b3 = b4 + b5; b4 = b5 - b6; b5 = b6 / b7; b6 = b7 + b8 * b9; b7 = t; }
          return b0 + b1 + b2 + b3 + b4 + b5 + b6 + b7 + b8 + b9;
        }
        main {
          r = mix(a, b, c, d) + mix(mix(a, a, b, b), c, mix(1, 2, 3, 4), d);
          s[0] = many(s[0],s[1],s[2],s[3],s[4],s[5],s[6],s[7], 9.0, many(1.,2.,3.,4.,5.,6.,7.,8.,9.,10.));
          out[0] = (r > a) ? (xp) (r >> 3) : -1; out[1] = r == b; out[2] = !r; out[3] = (a && r) || d;
          r = max(r, a) - min(b, r) + (u64) abs((i32) -5);
        }
    """,
    "large arrays, long loops, wide indices, empty ranges": """
        sp big[n=3000], t; xp far[70][40]; u16 m[300]; i32 w[4]; sp acc; u32 steps;
        let i in [0, 3000);
        main {
          u32 n = 3000; i32 lo = -3; xp z = 0;
          k in [0, n) big[k] = (sp) k;
          ∀i acc += big[i];
          ∀i big[i] <- big[2999 - i] * 0.5;
          k in [lo, 4) { w[k & 3] += k; steps += 1; }
          a in [0, 70) b in [0, 40) far[a][b] <- a * b;
          a in [0, 40) b in [0, 40) far[b][a] <- far[a + 30][b] + 1;
          k in [0, 100) m[3*k] = (u16) k;
          k in [z, z) m[k] = 999;
          k in [5, z) m[k] = 999;
          t = big[1] + big[n - 1] + far[69][39];
        }
    """,
    "control flow": """
        xp log[16], n, a, b; sp s, t[4] = {1.,2.,3.,4.};
        function put(xp v) { log[n & 15] = v; n += 1; return v; }
        function find(sp v[], sp x) { i in [0, 4) { if (v[i] >= x) return i; } return -1; }
        function early(xp x) { if (x > 2) { put(100); return 1; } while (x < 2) { x += 1; if (x == 1) return 7; } return x; }
        function vacant() { return; }
        function nothing(xp x) { n += x; }
        main {
          a = find(t, 2.5); b = find(t, 9.0);
          a = early(3) + early(0) * early(2);
          if (put(1) && put(0) || put(2) && !put(0)) put(3); else put(4);
          a = put(5) ? put(6) : put(7);
          i in [0, 3) { if (i == 1) { } else if (i == 2) { put(i); } }
          vacant(); nothing(3);
          while (put(n) < 12) { if (n % 2) nothing(1); }
          i in [0, 2) j in [i, 3) { k in [j, i + 2) s += t[k]; }
          b = (a > 0) + (b < 0) * 2 + !(a == b) * 4;
          ; ; { } { xp a = 5; { xp a = 6; b += a; } b += a; }
          i in [0, 4) { i in [0, 2) t[i] += 1.0; t[i] = t[i] * 2.0; }
        }
    """,
    "sums in every combination": """
        sp a[6] = {1.5,2.25,-3.,4.1,5.,6.3}, b[6] = {.5,-1.,2.,3.,.1,7.}; hp h[6] = {1.,2.,3.,4.5,0.1,6.}, g[6] = {0.3,0.2,0.1,9.,8.,7.};
        sp m[4][6], y[4], s, t, u, v, w[3], z; hp hs;
        let i in [0,4); let j in [0,6);
        function part(sp p[], hp q[]) { sp r = 0.0; ∀j r = ∑ p[j] * q[j]; return r; }
        main {
          ∀i ∀j m[i][j] = (sp)(i*6 + j) * 0.37;
          ∀i ∀j y[i] = ∑ m[i][j] * a[j];
          ∀i ∀j s = ∑ m[i][j] * b[j];
          ∀j t = ∑ h[j] * g[j];
          ∀j u = ∑ h[j] * a[j];
          [[dot.load(off)]] ∀j u = ∑ a[j] * b[j];
          [[dot.state(on), dot.load(off)]] { ∀j u = ∑ a[j]; k in [0,3) u = ∑ h[k] * b[k + 1]; }
          [[dot.state(on)]] ∀j v = ∑ g[j] * h[j];
          z = part(a, h) + part(b, g);
          w[0] = ∑ a[1] * b[1]; w[1] = ∑ a[2];
          ∀j w[2] = ∑ (a[j] + 1.0) * (h[j] * g[j]);
          j2 in [0, 6) s += a[j2] * b[j2] - 1.0;
          ∀j hs += h[j]*g[j];
        }
    """,
    "ranges about the borders of 16 and 32 bits": """
        u32 m = 65533, top = 0xffffffff, n; i32 lo = -70000, s; xp a[8], b[8], first = 32760, last = 32767;
        u16 near = 65530, end = 65535; sp f[8];
        let i in [-40000, -39992); let j in [40000, 40003);
        function add(xp v[], i32 from, u16 to) { k in [from, to) { v[k + 3] += k; s += k; } k in [0, to) v[k] <- v[k] + 1; }
        main {
          k in [65530, 65541) { s += k; a[k - 65530 & 7] += k; }
          k in [65536, 65544) a[k - 65536] <- a[65543 - k] * 3;
          k in [m, m + 8) { s += k; b[k - 65533] <- k; }
          k in [m, 65541) b[k - m] += 2;
          k in [lo, lo + 8) { s += k; a[k + 70000] <- k; f[k + 70000] <- k; }
          k in [0xfffffff8, top) { n += k; }
          k in [-2147483647, -2147483640) n += 1;
          k in [2147483640, 2147483647) n += k;
          ∀i a[i + 40000] <- i;
          ∀i ∀j a[i + 40000] += b[j - 40000];
          k in [near, end) a[k - 65530] <- k;
          k in [near, 65536) n += k;
          k in [first, last) { n += 1; b[k - 32760] <- k; }
          k in [first, last) b[k - 32760] += 1;
          k in [first, 32768) n += 11;
          add(a, -3, 5); add(a, -2, 0); add(a, 3, 2);
        }
    """,
    "a long chain of choices": "xp x = 497, y, z; function g(xp v) { "
    + "else ".join(f"if (v == {n}) return {n + 1}; " for n in range(120))
    + "return 3; } main { "
    + "else ".join(f"if (x == {n}) y = {n + 1}; " for n in range(500))
    + "else y = 3; z = g(77) + g(120); }",
    "choices that are max and min": """
        sp a[8] = {1.5, -0.0, 0.0, -3.0, 7.0, -0.0, 0.0, 2.0}, b[8] = {0.0, 0.0, -0.0, 4.0, 7.0, -0.0, 0.0, -2.0}, c[8][8], top = 0.0, low;
        hp h[8] = {1.5, -0.0, 0.0, -3.0, 7.0, -0.0, 0.0, 2.0}, g[8][4]; xp x[8] = {-5, 3, 0, 7, -32768, 32767, 1, 3}, y[8] = {3, 3, -1, 7, 5, 32767, 1, 2}, z[8][8];
        u32 u[8] = {0, 1, 0x80000000, 5, 0xffffffff, 7, 2, 3}, v[8] = {1, 1, 5, 0x80000000, 2, 7, 2, 4}, w[8][4]; xp most = -9, least; sp one;
        let i in [0, 8);
        main {
          a[3] = (a[1] - a[1]) / b[0]; b[7] = a[3]; h[3] = (hp) a[3];
          ∀i c[0][i] <- a[i] > 0.0 ? a[i] : 0.0;
          ∀i c[1][i] <- 0.0 < a[i] ? a[i] : 0.0;
          ∀i c[2][i] <- a[i] >= -0.0 ? a[i] : -0.0;
          ∀i c[3][i] <- a[i] < 1.0 ? a[i] : 1.0;
          ∀i c[4][i] <- a[i] > 0.0 ? 0.0 : a[i];
          ∀i c[5][i] <- a[i] > b[i] ? a[i] : b[i];
          ∀i c[6][i] <- (a[i] <= 1.0 ? a[i] : 1.0) * 2.0;
          ∀i c[7][i] <- 1.0 >= a[i] ? a[i] : 1.0;
          ∀i g[0][i & 3] <- h[i] > 0.0 ? h[i] : 0.0;
          i in [0, 4) g[1][i] <- h[i] > 0.0 ? h[i] : 0.0;
          i in [0, 4) g[2][i] <- 0.0 >= h[i] ? h[i] : 0.0;
          ∀i z[0][i] <- x[i] > y[i] ? x[i] : y[i];
          ∀i z[1][i] <- x[i] < y[i] ? x[i] : y[i];
          ∀i z[2][i] <- x[i] >= y[i] ? y[i] : x[i];
          ∀i z[3][i] <- x[i] <= y[i] ? y[i] : x[i];
          ∀i z[4][i] <- x[i] > 3 ? x[i] : 3;
          ∀i z[5][i] <- y[i] > x[i] ? x[i] : 3;
          ∀i z[6][i] <- x[i] == y[i] ? x[i] : y[i];
          i in [0, 4) w[i][0] <- u[i] > v[i] ? u[i] : v[i];
          i in [0, 4) w[i][1] <- u[i] < v[i] ? u[i] : v[i];
          ∀i most = x[i] > most ? x[i] : most;
          ∀i least = least < y[i] ? least : y[i];
          ∀i top = a[i] > top ? a[i] : top;
          ∀i low = a[i] < 5.0 ? a[i] : 5.0;
          one = a[3] > 2.0 ? a[3] : 2.0;
        }
    """,
}

FOUND_PAIRS = {
    "a filter that drops nothing may start in its drop phase": (
        "u32 socket t0; main { i in [0, 5) t0[] <- (u32) i; }",
        """
        u32 socket r0; u32 a[5];
        filter f[counter] = {.limit=1, .maxpass=1, .state=64, .tick=wavelet, .socket=r0};
        main { i in [0, 5) a[i] <- r0[]; }
        """,
    ),
    "handlers for any wavelet, by index, for control wavelets; raw moves": (
        """
        sp x[3] = {1.5, -2., 3.}; wv one = {7, 3}, two = {8, 4}; u32 r; socket t0, t1, r0;
        main {
          i in [0, 3) wv:t0[] <- x[i];
          t0[] <- control(one);
          i in [0, 3) t1[] <- wavelet(i + 10, 5 - i);
          t1[] <- control(two); t1[] <- control(one);
          r <- r0[];
        }
        """,
        """
        socket r0, r1, t0; u32 n, m; xp a[8], k, c;
        main {
          parallel {
            forever dispatch(r0) {
              wavelet() { n += 1; }
              control() { m += n; t0[] <- 5:u32; }
            }
            forever dispatch(r1) {
              wavelet(xp x, xp i) { a[i] = x; }
              control(4) { k += 1; }
              control(3, xp x) { c = x; }
            }
          }
        }
        """,
    ),
    "eight sockets each way": (
        """
        socket t0, t1, t2, t3, t4, t5, t6, t7, r0, r1, r2, r3, r4, r5, r6, r7; sp a[8] = {1., 2., 3., 4., 5., 6., 7., 8.}, b[8];
        main {
          i in [0, 3) {
            parallel {
              t0[] <- a[0]; t1[] <- a[1]; t2[] <- a[2]; t3[] <- a[3]; t4[] <- a[4]; t5[] <- a[5]; t6[] <- a[6]; t7[] <- a[7];
              b[0] <- r0[]; b[1] <- r1[]; b[2] <- r2[]; b[3] <- r3[]; b[4] <- r4[]; b[5] <- r5[]; b[6] <- r6[]; b[7] <- r7[];
            }
            j in [0, 8) a[j] = a[j] + b[7 - j];
          }
        }
        """,
        """
        socket t0, t1, t2, t3, t4, t5, t6, t7, r0, r1, r2, r3, r4, r5, r6, r7; sp a[8] = {-1., 2., .3, 4., 5., 6., -7., 8.}, b[8];
        main {
          i in [0, 3) {
            parallel {
              b[0] <- r0[]; b[1] <- r1[]; b[2] <- r2[]; b[3] <- r3[]; b[4] <- r4[]; b[5] <- r5[]; b[6] <- r6[]; b[7] <- r7[];
              t0[] <- a[0]; t1[] <- a[1]; t2[] <- a[2]; t3[] <- a[3]; t4[] <- a[4]; t5[] <- a[5]; t6[] <- a[6]; t7[] <- a[7];
            }
            j in [0, 8) a[j] = a[j] * b[j];
          }
        }
        """,
    ),
    "a broken exchange waits on both sides": (
        "socket t0, r0; xp a = 1, b; main { parallel { b <- r0[]; } parallel { t0[] <- a; } }",
        "socket t0, r0; xp a = 2, b; main { parallel { b <- r0[]; } parallel { t0[] <- a; } }",
    ),
}

# More rounds than 16 bits count; each takes seconds.
LONG = {
    "scalar loops": (
        """
        xp a[4], n = 3; u32 m = 65540, s;
        function f(u32 k) { u32 x = 0; i in [0, k) x += 1; return x; }
        main { i in [0, 65537) { n += 3; a[i & 3] += 1; } i in [0, m) s += i; s += f(65537); }
        """,
    ),
    "vector instructions": (
        """
        u16 h[256], t; sp v[2] = {1.0, 0.5}, r; iterator it = o in [0, ∞) i in [0, 2) v[i];
        main {
          i in [0, 257) j in [0, 256) h[j] += 1;
          i in [0, 257) j in [0, 256) t = t + h[j] * 3;
          i in [-3, 70000) r += it[];
        }
        """,
    ),
    "queues": (
        "sp socket t0; xp socket t1; main { i in [0, 65600) t0[] <- 0.5:sp; i in [-3, 65537) t1[] <- i; }",
        """
        sp socket r0; xp socket r1; sp s; xp n, last;
        main { parallel { i in [0, 65600) s += r0[]; } i in [0, 65540) { last <- r1[]; n += last; } }
        """,
    ),
}

# Loops whose statements do not name the index: taken in pieces of a length that a test chooses.
PIECES = {
    "reductions, iterators": (
        """
        xp a[4] = {5, 6, 7, 8}; u32 n; sp v[3] = {1.0, 0.5, 0.1}, r, q[2]; hp h; xp last, rest[3];
        iterator it = o in [0, ∞) i in [0, 3) v[i]; iterator at = o in [0, ∞) i in [0, 4) a[i];
        main {
          i in [0, 23) r += it[];
          i in [-3, 20) q[1] <+- it[] * 0.3;
          i in [0, 16) last <- at[] + 1;
          i in [5, 22) { n += at[]; }
          i in [0, 30) r = max(r, it[] * 2.0);
          i in [0, 19) q[0] = ∑ it[] * r;
          i in [0, 9) j in [0, 3) rest[j] <- at[];
          i in [0, 40) rest[0] -= at[];
        }
        """,
    ),
    "queues": (
        """
        sp socket t0; xp socket t1; socket r0; sp x = 0.5; xp n[40]; u32 got;
        main {
          i in [0, 33) t0[] <- x;
          [[uthread.enable(on)]] i in [0, 20) t0[] <- x * 3.0;
          i in [-3, 37) t1[] <- 7;
          parallel { i in [0, 17) t0[] <- 4.0:sp; { i in [0, 9) t1[] <- 5; t1[] <- 6; } }
          i in [0, 12) got <- (u32)(r0[]);
        }
        """,
        """
        sp socket r0; xp socket r1; socket t0; sp s, last; xp n;
        main {
          parallel { i in [0, 33) s += r0[]; i in [0, 40) n = n + r1[]; }
          #pragma uthread enable on
          i in [0, 20) last <- r0[];
          parallel { i in [0, 17) last += r0[]; i in [0, 10) n -= r1[]; }
          i in [0, 12) t0[] <- 0xabcd1234:u32;
        }
        """,
    ),
}
