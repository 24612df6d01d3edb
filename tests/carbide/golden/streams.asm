streams: streams.w

main:
  0002  ldd DD14 = [0x00b8];                             streams.w:16:13
  0005  lds0 SA14 = [0x00bc];                            streams.w:16:13
  0008  mov32.ut7 [DD14] = [SA14];                       streams.w:16:13
  000b  ld64 Q4 = [0x0090];                              streams.w:18:3
  000e  st64 [0x0084] = Q4;                              streams.w:18:3
  0011  ldd DD15 = [0x00c0];                             streams.w:19:3
  0014  lds0 SA15 = [0x00c4];                            streams.w:19:3
  0017  mov16 [DD15] = [SA15];                           streams.w:19:3
  0019  ld64 Q0 = [0x00b0];                              streams.w:19:3
  001c  st64 [0x0088] = Q0;                              streams.w:19:3
  001f  st64 [0x00b4] = Q0;                              streams.w:20:14
  0022  lds0 SA14 = [0x00b4];                            streams.w:21:6
  0025  sets0len SA14 = 0x4;                             streams.w:21:6
  0028  ldd DD14 = [0x00c8];                             streams.w:21:6
  002b  fadds [DD14] = [SA14], 0x3f800000;               streams.w:21:6
  002f  st64 [0x00b4] = Q4;                              streams.w:22:3
  0032  ld32 D0 = [0x00d8];                              streams.w:23:6
  0035  lds0 SA15 = [0x00b4];                            streams.w:23:6
  0038  sets0len SA15 = 0x4;                             streams.w:23:6
  003b  lds1 SB14 = [0x00c8];                            streams.w:23:6
  003e  fmacas D0 = [SA15], [SB14];                      streams.w:23:6
  0040  st32 [0x00d8] = D0;                              streams.w:23:6
  0043  ldd DD15 = [0x00cc];                             streams.w:24:6
  0046  lds0 SA14 = [0x00d0];                            streams.w:24:6
  0049  mov32 [DD15] = [SA14];                           streams.w:24:6
  004b  st64 [0x009e] = 0x0;                             streams.w:25:3
  0052  lds0 SA15 = [0x00d4];                            streams.w:26:3
  0055  mov32 D0 = [SA15];                               streams.w:26:3
  0057  st32 [0x007c] = D0; terminate;                   streams.w:26:3
teardown:
  005a  st32 [0x00d8] = 0x3f800000;                      streams.w:14:3
  005f  terminate;                                       streams.w:14:3

words  kind  name
   88  code  main
    6  code  teardown
   40  data  vector descriptors
   32  data  FIFOs and iterators
   16  data  mem
   12  data  z
    8  data  d
    8  data  y
    4  data  main
    2  data  s
  218  of memory used
