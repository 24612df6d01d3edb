"""The Carbide compiler: Tungsten kernels to instruction streams."""
