// Keeps the total of each round.
xp param R;
sp socket bus;
sp total[r=R];

r in [0, R) total[r] <- bus[];
