import HTTP
import Testing

@testable import pippin

/// What is said of certificate files that are looked at again and again.
@Suite struct CertificateRenewalTests {
    private static let served = ServerTLS(certificate: "served", key: "key")
    private static let other = ServerTLS(certificate: "other", key: "key")

    @Test func `S44: says nothing of files that this process never could read`() {
        var state = CertificateRenewal.State(served: Self.served, found: nil)
        for _ in 0..<3 { #expect(state.check(at: nil) == nil) }
        // They can be read by and by, and hold what is served.
        #expect(state.check(at: Self.served) == nil)
        #expect(state.check(at: nil) == .notRenewed)
    }

    @Test func `S44: says once that files it could read are gone`() {
        var state = CertificateRenewal.State(served: Self.served, found: Self.served)
        #expect(state.check(at: Self.served) == nil)
        #expect(state.check(at: nil) == .notRenewed)
        #expect(state.check(at: nil) == nil)
        #expect(state.check(at: Self.served) == nil)
        #expect(state.check(at: nil) == .notRenewed)
    }

    @Test func `S44: says once that a certificate and a key do not belong together, and goes on serving`() {
        var state = CertificateRenewal.State(served: Self.served, found: Self.served)
        #expect(state.check(at: Self.other) == .notRenewed)
        #expect(state.check(at: Self.other) == nil)
        #expect(state.check(at: nil) == .notRenewed)
        #expect(state.check(at: Self.other) == nil)
        #expect(state.served == Self.served)
    }
}
