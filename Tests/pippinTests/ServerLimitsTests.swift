import Testing

@testable import pippin

/// How many connections a process takes, by what its system lets it have.
@Suite struct ServerLimitsTests {
    @Test(arguments: [
        // Descriptors without end: so many for each loop.
        (1 << 19, 1, 4096), (1 << 19, 4, 16_384),
        // 192 and 216 a loop are kept back.
        (4096, 1, 3688), (4096, 4, 3040), (2048, 2, 1424),
        // Of few, half.
        (256, 4, 128), (100, 1, 50),
        // However few there are, some.
        (20, 1, 16), (0, 1, 16),
    ]) func `S9, V44: keep descriptors back for the database and for calls`(
        descriptors: Int, loops: Int, connections: Int
    ) { #expect(ServerLimits(descriptors: descriptors, loops: loops).connections == connections) }

    @Test func `S9, V44: give one network a quarter, or as many as was said`() {
        #expect(ServerLimits(descriptors: 4096, loops: 1).perNetwork == 922)
        #expect(ServerLimits(descriptors: 20, loops: 1).perNetwork == 16)
        for chosen in [0, 5] {
            #expect(ServerLimits(descriptors: 4096, loops: 1, perNetwork: chosen).perNetwork == chosen)
        }
    }
}
