"""The machine: architecture and timing tables, instruction set, images and maps, simulators, and their tools."""
