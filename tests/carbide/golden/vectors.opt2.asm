vectors: vectors.w

main:
  0002  ldd DD1 = [0x013c];                              vectors.w:2:1
  0005  lds0 SA14 = [0x0130];                            vectors.w:10:6
  0008  lds1 SB14 = [0x0134];                            vectors.w:10:6
  000b  add16 [DD1] = [SA14], [SB14];                    vectors.w:10:6
  000d  ldd DD14 = [0x0138];                             vectors.w:11:6
  0010  lds0 SA15 = [0x013c];                            vectors.w:11:6
  0013  mins16 [DD14] = [SA15], 0x64;                    vectors.w:11:6
  0016  lds0 SA14 = [0x0138];                            vectors.w:11:6
  0019  sll16 [DD1] = [SA14], 0x2;                       vectors.w:11:6
  001c  ld32 D0 = [0x006a];                              vectors.w:12:9
  001f  ldd DD0 = [0x0170];                              vectors.w:2:1
  0022  lds0 SA15 = [0x0149];                            vectors.w:12:9
  0025  fmuls [DD0] = [SA15], D0;                        vectors.w:12:9
  0027  lds0 SA14 = [0x0156];                            vectors.w:13:9
  002a  lds1 SB15 = [0x0163];                            vectors.w:13:9
  002d  fadds [DD0] = [SA14], [SB15];                    vectors.w:13:9
  002f  lds0 SA15 = [0x0170];                            vectors.w:13:9
  0032  fmuls [DD0] = [SA15], 0x3f000000;                vectors.w:13:9
  0036  ld32 D2 = [0x007c];                              vectors.w:14:6
  0039  lds0 SA14 = [0x0174];                            vectors.w:14:6
  003c  lds1 SB14 = [0x0178];                            vectors.w:14:6
  003f  fmacas D2 = [SA14], [SB14];                      vectors.w:14:6
  0041  mov32 D6 = 0x0;                                  vectors.w:15:6
  0045  mov32 D4 = 0x80000000;                           vectors.w:15:6
  0049  mov16 R0 = 0x10;                                 vectors.w:15:6
  004c  st32 [0x007c] = D2;                              vectors.w:14:6
  004f  dotsx D6, D4;                                    vectors.w:15:6
  0051  ld32 D4 = [0x00a0];                              vectors.w:15:6
  0054  ld32 D2 = [0x006a];                              vectors.w:15:6
  0057  dotskx D4, D2;                                   vectors.w:15:6
  0059  djnz R0, main.loop.2;                            vectors.w:15:6
  005c  mov32 D2 = 0x0;                                  vectors.w:15:6
  0060  mov32 D0 = 0x80000000;                           vectors.w:15:6
  0064  dotsk D0 = D2, D0;                               vectors.w:15:6
  0066  st32 [0x0090] = D0; terminate;                   vectors.w:15:6

words  kind  name
  103  code  main
   76  data  vector descriptors
   64  data  f
   64  data  g
   16  data  a
   16  data  b
   16  data  c
   16  data  main
    2  data  s
    2  data  x
  380  of memory used
