// Takes a factor from a broadcast. Then the same color joins the tiles in pairs, and the right one adds up.
xp param COLOR;
sp socket bus;

sp mine = 0.0;
sp sum = 0.0;

xp route[1] address(0x7c00 + COLOR);    // the router's rule for the color
xp x[1] address(0x7c46);
xp const SEND = 0x82;                   // [C>R]: input 4 in bits 7:5, output R in bit 1
xp const RECEIVE = 0x10;                // [L>C]: input 0, output C in bit 4

// Runs when the color is down. Writing a route brings it up again.
#pragma teardown on
{
  if ((x[0] & 1) == 1) route[0] = SEND;
  else route[0] = RECEIVE;
}

main {
  sp factor <- bus[];
  mine = mine * factor;
  if ((x[0] & 1) == 1) bus[] <- mine;
  else {
    // The handler must be able to run while this waits, so it waits as a microthread.
    #pragma uthread enable on
    {
      sp other <- bus[];
      sum = other + mine;
    }
  }
}
