// Keeps N numbers of a stream. A filter in front of the input queue drops what is not for this tile.
xp param LIMIT;
xp param PASS;
xp param STATE;
xp param N;

sp socket rx;
filter f[counter] = {.limit = LIMIT, .maxpass = PASS, .state = STATE, .tick = wavelet, .socket = rx};
sp part[n=N];

let i in [0, N);
∀i part[i] <- rx[];
