scalars: scalars.w

main:
  0002  ld32 D2 = [0x00e0];                              scalars.w:11:10
  0005  ld32 D0 = [0x00e2];                              scalars.w:11:10
  0008  ld32 D4 = [0x00e4];                              scalars.w:12:3
  000b  fmss D0 = D2, D0, 0x3e800000;                    scalars.w:11:10
  000f  ld16 R2 = [0x00b5];                              scalars.w:13:3
  0012  fmacs D0 = D0, D4, 0x3e800000;                   scalars.w:12:3
  0016  st32 [0x00e0] = D0;                              scalars.w:12:3
  0019  fgts P0 = D0, 0x0;                               scalars.w:13:3
  001d  P0? ne16 P0 = R2, 0x0;                           scalars.w:13:3
  0021  !P0? jmp main.else.1;                            scalars.w:13:3
  0024  ld32 D0 = [0x00e2];                              scalars.w:13:32
  0027  fnegs D0 = D0;                                   scalars.w:13:32
  0029  st32 [0x00e2] = D0;                              scalars.w:13:32
  002c  jmp main.end.2;                                  scalars.w:13:32
  002e  ld32 D0 = [0x00e2];                              scalars.w:13:49
  0031  fmaxs D0 = D0, 0x3f800000;                       scalars.w:13:49
  0035  st32 [0x00e2] = D0;                              scalars.w:13:49
  0038  ld16 R0 = [0x00b5];                              scalars.w:14:3
  003b  gt16 P0 = R0, 0x0;                               scalars.w:14:3
  003e  !P0? jmp main.end.4;                             scalars.w:14:3
  0041  ld16 R2 = [0x00b5];                              scalars.w:14:23
  0044  ld16 R1 = [0x00e6];                              scalars.w:14:23
  0047  rems16 R0 = R2, 0x3;                             scalars.w:14:23
  004a  add16 R0 = R1, R0;                               scalars.w:14:23
  004c  st16 [0x00e6] = R0;                              scalars.w:14:23
  004f  sub16 R0 = R2, 0x1;                              scalars.w:14:39
  0052  st16 [0x00b5] = R0;                              scalars.w:14:39
  0055  gt16 P0 = R0, 0x0;                               scalars.w:14:3
  0058  P0? jmp main.while.3;                            scalars.w:14:3
  005b  mov16 R3 = 0x6;                                  scalars.w:15:17
  005e  mov16 R2 = 0x2;                                  scalars.w:15:17
  0061  ld32x D0 = [R2 + 198];                           scalars.w:15:17
  0064  ld32x D4 = [R2 + 202];                           scalars.w:15:17
  0067  fmuls D0 = D0, 0x3e800000;                       scalars.w:15:17
  006b  fadds D0 = D0, D4;                               scalars.w:15:17
  006d  st32x [R2 + 200] = D0;                           scalars.w:15:17
  0070  add16 R2 = R2, 0x2;                              scalars.w:15:17
  0073  djnz R3, main.loop.6;                            scalars.w:15:17
  0076  mov16 R3 = 0x8;                                  scalars.w:17:17
  0079  mov16 R2 = 0x0;                                  scalars.w:17:17
  007c  ld32x D0 = [R2 + 200];                           scalars.w:17:17
  007f  fadds D0 = D0, 0x3f800000;                       scalars.w:17:17
  0083  st32x [R2 + 200] = D0;                           scalars.w:17:17
  0086  add16 R2 = R2, 0x2;                              scalars.w:17:17
  0089  djnz R3, main.loop.8;                            scalars.w:17:17
  008c  st32 [0x00bc] = 0x40400000;                      scalars.w:18:3
  0091  ldd DD14 = [0x00d8];                             scalars.w:19:3
  0094  lds0 SA14 = [0x00dc];                            scalars.w:19:3
  0097  mov16 [DD14] = [SA14];                           scalars.w:19:3
length:
  0099  ld32 D0 = [0x00c2];                              scalars.w:7:35
  009c  ld32 D2 = [0x00c4];                              scalars.w:7:35
main: …
  009f  ld32 D6 = [0x00e4];                              scalars.w:20:3
length: …
  00a2  fmuls D4 = D0, D0;                               scalars.w:7:35
  00a4  fmuls D0 = D2, D2;                               scalars.w:7:35
main: …
  00a6  mov32 D2 = 0x0;                                  scalars.w:20:3
length: …
  00aa  fadds D0 = D4, D0;                               scalars.w:7:35
main: …
  00ac  fgts P0 = D0, 0x41100000;                        scalars.w:20:3
  00b0  select32 D0 = D6, D2, P0;                        scalars.w:20:3
  00b2  st32 [0x00e4] = D0; terminate;                   scalars.w:20:3

words  kind  name
  167  code  main
   12  code  length
   18  data  p
   16  data  e
    8  data  vector descriptors
    2  data  h
    2  data  u
    2  data  v
    1  data  count
    1  data  r
  231  of memory used
