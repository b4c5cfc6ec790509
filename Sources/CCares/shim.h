// What Glibc declares, such as the types of addresses, must not be declared here again: Swift would know it twice.
#pragma clang module import SwiftGlibc
#include <ares.h>
