// One step of the calibration kernel as it was once compiled, statement after statement (benchmarks/calibration/solver.w):
// two blocks of 4 sends and 4 receives, 58 fp32 operations between and after them. It is a test of the machine, whose
// timing table was chosen so that a step takes about 355 cycles (hardware.md 17). This file does not change.

.name calibration
.socket to_l out 0 sp
.socket to_r out 1 sp
.socket to_u out 2 sp
.socket to_d out 3 sp
.socket from_l in 0 sp
.socket from_r in 1 sp
.socket from_u in 2 sp
.socket from_d in 3 sp

.symbol steps u16
    .word 10
.align 2
.symbol h sp
    .float 0.125
.var u sp
.var v sp
.var mass sp
.var energy sp
.var work sp
.var hw sp
.var he sp
.var hs sp
.var hn sp
.var uw sp
.var ue sp
.var vs sp
.var vn sp
.var hx sp
.var hy sp
.var curve sp
.var speed sp
.var carried sp
.var ua sp
.var va sp
.var kinetic sp

of_h: .dsd mem1d base=h extent=1
of_u: .dsd mem1d base=u extent=1
of_v: .dsd mem1d base=v extent=1
to_hw: .dsd mem1d base=hw extent=1
to_he: .dsd mem1d base=he extent=1
to_hn: .dsd mem1d base=hn extent=1
to_hs: .dsd mem1d base=hs extent=1
to_uw: .dsd mem1d base=uw extent=1
to_ue: .dsd mem1d base=ue extent=1
to_vn: .dsd mem1d base=vn extent=1
to_vs: .dsd mem1d base=vs extent=1
send_l: .dsd fabout queue=to_l extent=1
recv_l: .dsd fabin queue=from_l extent=1
send_r: .dsd fabout queue=to_r extent=1
recv_r: .dsd fabin queue=from_r extent=1
send_u: .dsd fabout queue=to_u extent=1
recv_u: .dsd fabin queue=from_u extent=1
send_d: .dsd fabout queue=to_d extent=1
recv_d: .dsd fabin queue=from_d extent=1

.func main
.entry
    ld16 R14 = [steps];
    lds0 SA0 = [of_h];
    lds0 SA1 = [of_u];
    lds0 SA2 = [of_v];
    ldd DD0 = [send_l];
    lds0 SA3 = [recv_l];
    ldd DD1 = [send_r];
    lds0 SA4 = [recv_r];
    ldd DD2 = [send_u];
    lds0 SA5 = [recv_u];
    ldd DD3 = [send_d];
    lds0 SA6 = [recv_d];
    ldd DD4 = [to_hw];
    ldd DD5 = [to_he];
    ldd DD6 = [to_hn];
    ldd DD7 = [to_hs];
    ldd DD8 = [to_uw];
    ldd DD9 = [to_ue];
    ldd DD10 = [to_vn];
    ldd DD11 = [to_vs];
step:
    setjoin 9, 8;
    mov32.ut0 [DD0] = [SA0] -> arrive 9;
    mov32.ut1 [DD1] = [SA0] -> arrive 9;
    mov32.ut2 [DD2] = [SA0] -> arrive 9;
    mov32.ut3 [DD3] = [SA0] -> arrive 9;
    mov32.ut4 [DD4] = [SA3] -> arrive 9;
    mov32.ut5 [DD5] = [SA4] -> arrive 9;
    mov32.ut6 [DD6] = [SA5] -> arrive 9;
    mov32.ut7 [DD7] = [SA6] -> arrive 9;
    terminate;

.func between
.task 9
    // sp hx = (he - hw) * slope;
    ld32 D2 = [he];
    ld32 D0 = [hw];
    fsubs D0 = D2, D0;
    fmuls D8 = D0, 0x3e000000;
    st32 [hx] = D8;
    // sp hy = (hn - hs) * slope;
    ld32 D2 = [hn];
    ld32 D0 = [hs];
    fsubs D0 = D2, D0;
    fmuls D6 = D0, 0x3e000000;
    st32 [hy] = D6;
    // sp around = (he + hw) + (hn + hs);
    ld32 D2 = [he];
    ld32 D0 = [hw];
    fadds D4 = D2, D0;
    ld32 D2 = [hn];
    ld32 D0 = [hs];
    fadds D0 = D2, D0;
    fadds D0 = D4, D0;
    // sp curve = around - 4.0 * h;
    ld32 D10 = [h];
    fmss D0 = D0, D10, 0x40800000;
    st32 [curve] = D0;
    // sp ua = u - gravity * hx;
    ld32 D0 = [u];
    ld32 D8 = [hx];
    fmss D2 = D0, D8, 0x3f000000;
    st32 [ua] = D2;
    // sp va = v - gravity * hy;
    ld32 D0 = [v];
    ld32 D6 = [hy];
    fmss D0 = D0, D6, 0x3f000000;
    st32 [va] = D0;
    // sp ub = ua + turn * va;
    ld32 D2 = [ua];
    ld32 D0 = [va];
    fmacs D4 = D2, D0, 0x3d800000;
    // sp vb = va - turn * ua;
    fmss D6 = D0, D2, 0x3d800000;
    // sp speed² = ub * ub + vb * vb;
    fmuls D2 = D4, D4;
    fmuls D0 = D6, D6;
    fadds D0 = D2, D0;
    st32 [speed] = D0;
    // sp drag = 1.0 - friction * speed²;
    mov32 D2 = 0x3f800000;
    fmss D0 = D2, D0, 0x3d000000;
    // u = ub * drag;
    fmuls D4 = D4, D0;
    st32 [u] = D4;
    // v = vb * drag;
    fmuls D8 = D6, D0;
    st32 [v] = D8;
    // sp dx = max(u, 0.0) * (h - hw) + min(u, 0.0) * (he - h);
    ld32 D4 = [u];
    fmaxs D2 = D4, 0x0;
    ld32 D0 = [hw];
    ld32 D10 = [h];
    fsubs D0 = D10, D0;
    fmuls D6 = D2, D0;
    ld32 D4 = [u];
    fmins D2 = D4, 0x0;
    ld32 D0 = [he];
    ld32 D10 = [h];
    fsubs D0 = D0, D10;
    fmuls D0 = D2, D0;
    fadds D6 = D6, D0;
    // sp dy = max(v, 0.0) * (h - hs) + min(v, 0.0) * (hn - h);
    ld32 D8 = [v];
    fmaxs D2 = D8, 0x0;
    ld32 D0 = [hs];
    ld32 D10 = [h];
    fsubs D0 = D10, D0;
    fmuls D4 = D2, D0;
    ld32 D8 = [v];
    fmins D2 = D8, 0x0;
    ld32 D0 = [hn];
    ld32 D10 = [h];
    fsubs D0 = D0, D10;
    fmuls D0 = D2, D0;
    fadds D0 = D4, D0;
    // sp carried = dx + dy;
    fadds D0 = D6, D0;
    st32 [carried] = D0;
    setjoin 10, 8;
    mov32.ut0 [DD0] = [SA1] -> arrive 10;
    mov32.ut1 [DD1] = [SA1] -> arrive 10;
    mov32.ut2 [DD2] = [SA2] -> arrive 10;
    mov32.ut3 [DD3] = [SA2] -> arrive 10;
    mov32.ut4 [DD8] = [SA3] -> arrive 10;
    mov32.ut5 [DD9] = [SA4] -> arrive 10;
    mov32.ut6 [DD10] = [SA5] -> arrive 10;
    mov32.ut7 [DD11] = [SA6] -> arrive 10;
    terminate;

.func after
.task 10
    // sp spread = (ue - uw) + (vn - vs);
    ld32 D2 = [ue];
    ld32 D0 = [uw];
    fsubs D4 = D2, D0;
    ld32 D2 = [vn];
    ld32 D0 = [vs];
    fsubs D0 = D2, D0;
    fadds D0 = D4, D0;
    // sp depth = rest + h;
    ld32 D4 = [h];
    fadds D10 = D4, 0x3f800000;
    // sp change = depth * spread + 2.0 * carried;
    fmuls D2 = D10, D0;
    ld32 D0 = [carried];
    fmuls D0 = D0, 0x40000000;
    fadds D0 = D2, D0;
    // sp ha = h - slope * change;
    ld32 D4 = [h];
    fmss D2 = D4, D0, 0x3e000000;
    // sp hb = ha + smooth * curve;
    ld32 D0 = [curve];
    fmacs D0 = D2, D0, 0x3c800000;
    // h = max(min(hb, top), -top);
    fmins D0 = D0, 0x3f400000;
    fmaxs D4 = D0, 0xbf400000;
    st32 [h] = D4;
    // sp deep = rest + h;
    ld32 D4 = [h];
    fadds D2 = D4, 0x3f800000;
    // sp kinetic = deep * speed² * 0.5;
    ld32 D0 = [speed];
    fmuls D0 = D2, D0;
    fmuls D8 = D0, 0x3f000000;
    st32 [kinetic] = D8;
    // sp potential = gravity * h * h * 0.5;
    ld32 D4 = [h];
    fmuls D0 = D4, 0x3f000000;
    ld32 D4 = [h];
    fmuls D0 = D0, D4;
    fmuls D6 = D0, 0x3f000000;
    // mass = mass + h;
    ld32 D0 = [mass];
    ld32 D4 = [h];
    fadds D0 = D0, D4;
    st32 [mass] = D0;
    // energy = energy + (kinetic + potential);
    ld32 D2 = [energy];
    ld32 D8 = [kinetic];
    fadds D0 = D8, D6;
    fadds D0 = D2, D0;
    st32 [energy] = D0;
    // work = work + (hx * u + hy * v) * depth;
    ld32 D4 = [work];
    ld32 D0 = [u];
    ld32 D8 = [hx];
    fmuls D2 = D8, D0;
    ld32 D0 = [v];
    ld32 D6 = [hy];
    fmuls D0 = D6, D0;
    fadds D0 = D2, D0;
    fmuls D0 = D0, D10;
    fadds D0 = D4, D0;
    st32 [work] = D0;
    djnz R14, step;
    terminate;
