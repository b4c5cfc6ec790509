#include <fido.h>
#include <fido/es256.h>
#include <fido/rs256.h>
