functions: functions.w

main:
  0002  ldd DD0 = [0x0152];                              functions.w:2:1
  0005  ldd DD1 = [0x0156];                              functions.w:2:1
  0008  ldd DD2 = [0x015a];                              functions.w:2:1
  000b  ldd DD3 = [0x015e];                              functions.w:2:1
  000e  ldd DD4 = [0x0162];                              functions.w:2:1
  0011  lds0 SA0 = [0x0166];                             functions.w:2:1
  0014  lds0 SA1 = [0x016a];                             functions.w:2:1
  0017  lds0 SA2 = [0x0152];                             functions.w:2:1
  001a  lds0 SA3 = [0x016e];                             functions.w:2:1
  001d  lds0 SA4 = [0x0172];                             functions.w:2:1
  0020  lds0 SA5 = [0x0156];                             functions.w:2:1
  0023  lds1 SB0 = [0x0176];                             functions.w:2:1
  0026  lds1 SB1 = [0x017a];                             functions.w:2:1
  0029  lds1 SB2 = [0x017e];                             functions.w:2:1
  002c  lds1 SB3 = [0x0182];                             functions.w:2:1
  002f  st16 [0x0193] = 0x3;                             functions.w:30:3
  0033  call step;                                       functions.w:30:3
  0035  ld16 R0 = [0x00d1];                              functions.w:31:3
  0038  st16 [0x0193] = R0;                              functions.w:31:3
  003b  call step;                                       functions.w:31:3
  003d  unblock 0; terminate;                            functions.w:32:3
step:
  003f  st16 [0x0192] = R15;                             functions.w:21:10
  0042  ld16 R0 = [0x0193];                              functions.w:21:10
  0045  le16 P0 = R0, 0x0;                               functions.w:22:3
  0048  P0? jmp step.end.1;                              functions.w:22:3
  004b  sub16 R0 = R0, 0x0;                              functions.w:22:3
  004e  st16 [0x0194] = R0;                              functions.w:22:3
  0051  st32 [0x0188] = 0x3f000000;                      functions.w:23:5
  0056  call smooth;                                     functions.w:23:5
twice:
  0058  mov32 D0 = 0x3e000000;                           functions.w:7:24
  005c  fadds D0 = D0, 0x3e000000;                       functions.w:7:24
step: …
  0060  st32 [0x018a] = D0;                              functions.w:24:5
  0063  call smooth.1;                                   functions.w:24:5
  0065  call largest;                                    functions.w:25:5
  0067  ld32 D0 = [0x018c];                              functions.w:25:5
  006a  st32 [0x0190] = D0;                              functions.w:25:5
  006d  call largest.1;                                  functions.w:25:5
  006f  ld32 D2 = [0x018e];                              functions.w:25:5
  0072  ld16 R0 = [0x0194];                              functions.w:22:3
  0075  sub16 R0 = R0, 0x1;                              functions.w:22:3
  0078  st16 [0x0194] = R0;                              functions.w:22:3
  007b  ne16 P0 = R0, 0x0;                               functions.w:22:3
  007e  ld32 D0 = [0x0190];                              functions.w:25:5
  0081  fmaxs D0 = D0, D2;                               functions.w:25:5
  0083  st32 [0x0186] = D0;                              functions.w:25:5
  0086  P0? jmp step.loop.2;                             functions.w:22:3
  0089  ld16 R15 = [0x0192];                             functions.w:22:3
  008c  jmpr R15;                                        functions.w:22:3
cmd.wavelet:
  008e  ld16 R1 = [0x00d1];                              functions.w:33:21
  0091  st16 [0x0193] = R0;                              functions.w:33:32
  0094  add16 R0 = R1, R0;                               functions.w:33:21
  0096  st16 [0x00d1] = R0;                              functions.w:33:21
  0099  call step;                                       functions.w:33:32
  009b  terminate;                                       functions.w:33:32
cmd.control:
  009c  ld32 D0 = [0x0186];                              functions.w:34:17
  009f  mov32 [DD2] = D0;                                functions.w:34:17
  00a1  terminate;                                       functions.w:34:17
teardown:
  00a2  st16 [0x00d1] = 0xffff;                          functions.w:39:3
  00a6  terminate;                                       functions.w:39:3
smooth:
  00a7  ld32 D12 = [0x0188];                             functions.w:9:10
  00aa  mov32 [DD3] = [SA0];                             functions.w:11:16
  00ac  fadds [DD0] = [SA1], [SB0];                      functions.w:12:16
  00ae  fmuls [DD0] = [SA2], D12;                        functions.w:12:16
  00b0  jmpr R15;                                        functions.w:12:16
smooth.1:
  00b2  ld32 D12 = [0x018a];                             functions.w:9:10
  00b5  mov32 [DD4] = [SA3];                             functions.w:11:16
  00b7  fadds [DD1] = [SA4], [SB1];                      functions.w:12:16
  00b9  fmuls [DD1] = [SA5], D12;                        functions.w:12:16
  00bb  jmpr R15;                                        functions.w:12:16
largest:
  00bd  ld32 D12 = [0x00d2];                             functions.w:16:10
  00c0  fmaxs D12 = D12, [SB2];                          functions.w:17:16
  00c2  st32 [0x018c] = D12;                             functions.w:18:3
  00c5  jmpr R15;                                        functions.w:18:3
largest.1:
  00c7  ld32 D12 = [0x00f2];                             functions.w:16:10
  00ca  fmaxs D12 = D12, [SB3];                          functions.w:17:16
  00cc  st32 [0x018e] = D12;                             functions.w:18:3
  00cf  jmpr R15;                                        functions.w:18:3

words  kind  name
   71  code  step
   61  code  main
   14  code  cmd.wavelet
   11  code  smooth
   11  code  smooth.1
   10  code  largest
   10  code  largest.1
    8  code  twice
    6  code  cmd.control
    5  code  teardown
   52  data  vector descriptors
   34  data  smooth
   34  data  smooth.1
   32  data  a
   32  data  b
    4  data  step
    2  data  best
    2  data  largest
    2  data  largest.1
    1  data  seen
    1  data  shared by functions
  405  of memory used
