// What libFuzzer offers to the mutators of others, which no header of it declares, and two macros of ioctl(2).

#include <net/if.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

/// libFuzzer's own mutation of `size` octets, which grow to `room` at most; returns their new count.
size_t LLVMFuzzerMutate(uint8_t *octets, size_t size, size_t room);

/// Brings up the loopback interface of a network of its own; 0 where that worked, or nothing was to be done.
static inline int fuzz_raise_loopback(void) {
    struct ifreq request;
    int descriptor = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (descriptor < 0) return -1;
    memset(&request, 0, sizeof request);
    strcpy(request.ifr_name, "lo");
    int result = ioctl(descriptor, SIOCGIFFLAGS, &request);
    if (result == 0 && !(request.ifr_flags & IFF_UP)) {
        request.ifr_flags |= IFF_UP | IFF_RUNNING;
        result = ioctl(descriptor, SIOCSIFFLAGS, &request);
    }
    close(descriptor);
    return result;
}

/// Interfaces that lead anywhere but to this machine: 0 where nothing can be called outside.
static inline int fuzz_ways_out(void) {
    struct if_nameindex *all = if_nameindex();
    if (all == 0) return -1;
    int count = 0;
    for (struct if_nameindex *one = all; one->if_index != 0; one++) count += strcmp(one->if_name, "lo") != 0;
    if_freenameindex(all);
    return count;
}
