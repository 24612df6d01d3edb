// The frozen benchmark of the engine (benchmarks/engine.py): one tile of an exchange with four neighbours.
//
// A step has two blocks of 4 sends and 4 receives, each of one fp32 value, and 64 scalar fp32 operations after them.
// The words at `steps` are how many steps a tile does. This file does not change: figures stay comparable.

.name exchange
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
.symbol value sp
    .float 1.0
.var left sp
.var right sp
.var up sp
.var down sp
.var flux sp

out_value: .dsd mem1d base=value extent=1
out_flux:  .dsd mem1d base=flux extent=1
in_l: .dsd mem1d base=left extent=1
in_r: .dsd mem1d base=right extent=1
in_u: .dsd mem1d base=up extent=1
in_d: .dsd mem1d base=down extent=1
send_l: .dsd fabout queue=to_l extent=1
send_r: .dsd fabout queue=to_r extent=1
send_u: .dsd fabout queue=to_u extent=1
send_d: .dsd fabout queue=to_d extent=1
recv_l: .dsd fabin queue=from_l extent=1
recv_r: .dsd fabin queue=from_r extent=1
recv_u: .dsd fabin queue=from_u extent=1
recv_d: .dsd fabin queue=from_d extent=1

.func main
.entry
    ld16 R14 = [steps];
    lds0 SA0 = [out_value];
    lds0 SA5 = [out_flux];
    ldd DD0 = [send_l];
    ldd DD1 = [send_r];
    ldd DD2 = [send_u];
    ldd DD3 = [send_d];
    ldd DD4 = [in_l];
    ldd DD5 = [in_r];
    ldd DD6 = [in_u];
    ldd DD7 = [in_d];
    lds0 SA1 = [recv_l];
    lds0 SA2 = [recv_r];
    lds0 SA3 = [recv_u];
    lds0 SA4 = [recv_d];
step:
    setjoin 9, 8;
    mov32.ut0 [DD0] = [SA0] -> arrive 9;
    mov32.ut1 [DD1] = [SA0] -> arrive 9;
    mov32.ut2 [DD2] = [SA0] -> arrive 9;
    mov32.ut3 [DD3] = [SA0] -> arrive 9;
    mov32.ut4 [DD4] = [SA1] -> arrive 9;
    mov32.ut5 [DD5] = [SA2] -> arrive 9;
    mov32.ut6 [DD6] = [SA3] -> arrive 9;
    mov32.ut7 [DD7] = [SA4] -> arrive 9;
    terminate;

.func fluxes
.task 9
    ld32 D0 = [value];
    ld32 D2 = [left];
    ld32 D4 = [right];
    ld32 D6 = [up];
    ld32 D8 = [down];
    fadds D2 = D2, D4;
    fadds D6 = D6, D8;
    fsubs D2 = D2, D0;
    fadds D2 = D2, D6;
    fmuls D10 = D2, 0x3e000000;
    fsubs D4 = D4, D0;
    fmuls D2 = D4, 0x3f000000;
    fadds D10 = D2, D4;
    fadds D6 = D6, D10;
    fmuls D4 = D6, 0x3e400000;
    fmuls D2 = D4, 0x3f000000;
    fadds D10 = D2, D4;
    fadds D6 = D6, D10;
    fmuls D4 = D6, 0x3e400000;
    fmuls D2 = D4, 0x3f000000;
    fadds D10 = D2, D4;
    fadds D6 = D6, D10;
    fmuls D4 = D6, 0x3e400000;
    fmuls D2 = D4, 0x3f000000;
    fadds D10 = D2, D4;
    fadds D6 = D6, D10;
    fmuls D4 = D6, 0x3e400000;
    fmuls D2 = D4, 0x3f000000;
    fadds D10 = D2, D4;
    fadds D6 = D6, D10;
    fmuls D4 = D6, 0x3e400000;
    fmuls D2 = D4, 0x3f000000;
    fadds D10 = D2, D4;
    fadds D6 = D6, D10;
    fmuls D4 = D6, 0x3e400000;
    st32 [flux] = D10;
    setjoin 10, 8;
    mov32.ut0 [DD0] = [SA5] -> arrive 10;
    mov32.ut1 [DD1] = [SA5] -> arrive 10;
    mov32.ut2 [DD2] = [SA5] -> arrive 10;
    mov32.ut3 [DD3] = [SA5] -> arrive 10;
    mov32.ut4 [DD4] = [SA1] -> arrive 10;
    mov32.ut5 [DD5] = [SA2] -> arrive 10;
    mov32.ut6 [DD6] = [SA3] -> arrive 10;
    mov32.ut7 [DD7] = [SA4] -> arrive 10;
    terminate;

.func update
.task 10
    ld32 D0 = [value];
    ld32 D2 = [left];
    ld32 D4 = [right];
    ld32 D6 = [up];
    ld32 D8 = [down];
    fadds D2 = D2, D4;
    fadds D6 = D6, D8;
    fadds D2 = D2, D6;
    fmuls D10 = D2, 0x3d800000;
    fadds D0 = D0, D10;
    fmuls D4 = D4, 0x3f000000;
    fmuls D2 = D4, 0x3f000000;
    fadds D10 = D2, D4;
    fadds D0 = D0, D10;
    fmuls D4 = D0, 0x3e400000;
    fmuls D2 = D4, 0x3f000000;
    fadds D10 = D2, D4;
    fadds D0 = D0, D10;
    fmuls D4 = D0, 0x3e400000;
    fmuls D2 = D4, 0x3f000000;
    fadds D10 = D2, D4;
    fadds D0 = D0, D10;
    fmuls D4 = D0, 0x3e400000;
    fmuls D2 = D4, 0x3f000000;
    fadds D10 = D2, D4;
    fadds D0 = D0, D10;
    fmuls D4 = D0, 0x3e400000;
    fmuls D2 = D4, 0x3f000000;
    fadds D10 = D2, D4;
    fadds D0 = D0, D10;
    fmuls D4 = D0, 0x3e400000;
    fmuls D2 = D4, 0x3f000000;
    fadds D10 = D2, D4;
    fadds D0 = D0, D10;
    fmuls D4 = D0, 0x3e400000;
    fmuls D2 = D4, 0x3f000000;
    fadds D10 = D2, D4;
    fadds D0 = D0, D10;
    fmuls D4 = D0, 0x3e400000;
    fmuls D0 = D0, 0x3dcccccd;
    st32 [value] = D0;
    djnz R14, step;
    terminate;
