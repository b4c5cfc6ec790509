import EventLoop
import TestDatabase
import Testing

@testable import pippin

/// The tests of the whole product: one server for all of them, and one after the other.
@Suite(.serialized, .withProduct) enum WholeProduct {}

/// Lends a suite one product, from before its first test until after its last.
struct ProductTrait: SuiteTrait, TestScoping {
    @TaskLocal fileprivate static var walk: PageTour?

    func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @concurrent @Sendable () async throws -> Void
    ) async throws {
        try await withDatabase { conninfo in
            // So each test of the product also shows that the database's own settings do no harm.
            try TestDatabase.makeOdd(conninfo)
            let thread = try EventLoop(name: "product-test")
            try thread.start()
            defer { thread.stop() }
            let walk = try await thread.run { try PageTour(Product(conninfo: conninfo)) }
            let result: Result<Void, any Error>
            do { result = .success(try await Self.$walk.withValue(walk, operation: function)) } catch {
                result = .failure(error)
            }
            try await thread.run { walk.product.close() }
            try result.get()
        }
    }
}

extension Trait where Self == ProductTrait { static var withProduct: ProductTrait { ProductTrait() } }

/// Lends `body` the product of the suite as its first request found it; it runs on a thread of its own, since all that it does
/// blocks.
func withWalk(_ body: @escaping @Sendable (PageTour) throws -> Void) async throws {
    let walk = try #require(ProductTrait.walk)
    let thread = try EventLoop(name: "walk-test")
    try thread.start()
    defer { thread.stop() }
    try await thread.run {
        try walk.product.restore()
        try walk.renew()
        try body(walk)
    }
}
