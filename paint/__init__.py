"""The Paint layout language: regions, colors, routes, images."""
