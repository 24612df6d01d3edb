exchange: exchange.w

main:
  0002  ldd DD0 = [0x00ac];                              exchange.w:2:1
  0005  ldd DD1 = [0x00a8];                              exchange.w:2:1
  0008  lds0 SA0 = [0x00b0];                             exchange.w:2:1
  000b  lds0 SA1 = [0x00b4];                             exchange.w:2:1
  000e  mov16 R0 = 0x3;                                  exchange.w:10:3
  0011  st16 [0x00be] = R0;                              exchange.w:10:3
  0014  settask 8, main.join.3;                          exchange.w:11:5
  0017  setjoin 8, 2;                                    exchange.w:11:5
  001a  mov32.ut0 [DD0] = [SA1] -> arrive 8;             exchange.w:11:16
  001d  mov32.ut1 [DD1] = [SA0] -> arrive 8;             exchange.w:11:27
  0020  terminate;                                       exchange.w:11:5
  0021  ld32 D4 = [0x00b8];                              exchange.w:12:5
  0024  ld32 D2 = [0x00ba];                              exchange.w:12:5
  0027  ld16 R0 = [0x00be];                              exchange.w:10:3
  002a  sub16 R0 = R0, 0x1;                              exchange.w:10:3
  002d  st16 [0x00be] = R0;                              exchange.w:10:3
  0030  ne16 P0 = R0, 0x0;                               exchange.w:10:3
  0033  fadds D0 = D4, D2;                               exchange.w:12:5
  0035  st32 [0x00b8] = D0;                              exchange.w:12:5
  0038  P0? jmp main.loop.2;                             exchange.w:10:3
  003b  settask 8, main.join.4;                          exchange.w:14:3
  003e  setjoin 8, 2;                                    exchange.w:14:3
  0041  settask 9, main.arm.5;                           exchange.w:14:3
  0044  activate 9;                                      exchange.w:14:3
  0046  ldd DD14 = [0x009c];                             exchange.w:16:8
  0049  lds0 SA14 = [0x00a0];                            exchange.w:16:8
  004c  mov32.ut1 [DD14] = [SA14] -> arrive 8;           exchange.w:16:8
  004f  terminate;                                       exchange.w:14:3
  0050  settask 9, main.resume.6;                        exchange.w:15:15
  0053  ldd DD15 = [0x00a4];                             exchange.w:15:15
  0056  mov32.ut0 [DD15] = [SA0] -> activate 9;          exchange.w:15:15
  0059  terminate;                                       exchange.w:15:15
  005a  ld32 D0 = [0x00bc];                              exchange.w:15:15
  005d  fmuls D0 = D0, 0x40000000;                       exchange.w:15:21
  0061  st32 [0x00ba] = D0;                              exchange.w:15:21
  0064  settask 9, main.resume.7;                        exchange.w:15:34
  0067  lds0 SA15 = [0x00a8];                            exchange.w:15:34
  006a  mov32.ut0 [DD0] = [SA15] -> activate 9;          exchange.w:15:34
  006d  terminate;                                       exchange.w:15:34
  006e  arrive 8; terminate;                             exchange.w:15:34
  0070  unblock 1; terminate;                            exchange.w:18:3
cmd.wavelet:
  0072  ld16 R0 = [0x0093];                              exchange.w:19:22
  0075  add16 R0 = R0, 0x1;                              exchange.w:19:22
  0078  st16 [0x0093] = R0;                              exchange.w:19:22
  007b  terminate;                                       exchange.w:19:22
cmd.control:
  007c  mov16 R2 = R0;                                   exchange.w:20:5
  007e  and16 R0 = R1, 0x3f;                             exchange.w:20:5
  0081  eq16 P0 = R0, 0x3;                               exchange.w:20:5
  0084  P0? jmp cmd.control.control.2;                   exchange.w:20:5
  0087  eq16 P0 = R0, 0x1f;                              exchange.w:20:5
  008a  P0? jmp cmd.control.exit.1;                      exchange.w:20:5
  008d  fault 1;                                         exchange.w:20:5
  008f  st16 [0x0093] = R2;                              exchange.w:20:24
  0092  terminate;                                       exchange.w:20:24

words  kind  name
  112  code  main
   23  code  cmd.control
   10  code  cmd.wavelet
   28  data  vector descriptors
    8  data  got
    3  data  main
    2  data  a
    2  data  b
    1  data  n
  191  of memory used
