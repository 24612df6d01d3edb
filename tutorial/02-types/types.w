// One recording in five number types: what each can hold, and which loops become vector instructions.
xp param N;
sp const VOLT = 1.0 / 32768.0;     // full scale is one volt; constants fold in double, then round once to sp
xp const THRESHOLD = 8000;

xp raw[n=N];        // 16-bit samples, as the recorder left them
sp volts[n=N];      // 32-bit floating point
hp coarse[n=N];     // 16-bit floating point: half the memory, 11 bits of precision
sp size[n=N];
i32 energy = 0;     // the sum of all squares in 32 bits …
xp wrapped = 0;     // … and in 16
xp loud = 0;
sp peak = 0.0;

let i in [0, N);

main {
  // One operation a loop: one vector instruction each.
  ∀i volts[i] <- raw[i];
  ∀i volts[i] <- volts[i] * VOLT;
  ∀i coarse[i] <- volts[i];
  ∀i size[i] <- abs(volts[i]);
  ∀i peak = max(peak, size[i]);

  // Several operations: as many vector instructions, with room in memory for what lies between.
  ∀i energy += (i32) raw[i] * (i32) raw[i] >> 10;
  ∀i wrapped += raw[i] * raw[i] >> 10;

  // A decision: a loop of scalar instructions.
  ∀i if (abs(raw[i]) > THRESHOLD) loud += 1;
}
