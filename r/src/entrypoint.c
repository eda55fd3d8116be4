// R calls this when it loads the package; it passes the call on to the library in Rust, which registers its functions.
// Without a mention of that library here, the linker would leave it out.
void R_init_tamis_extendr(void *dll);

void R_init_tamis(void *dll) { R_init_tamis_extendr(dll); }
