"""Scripts that run inside the sandbox and call the function of a program. They import no Podium."""
