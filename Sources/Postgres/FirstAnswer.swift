/// Forwards the first of several answers and ignores the others.
///
/// Used on its loop's thread only.
final class FirstAnswer {
    private var take: ((Bool) -> Void)?

    init(_ take: @escaping (Bool) -> Void) { self.take = take }

    func give(_ answer: Bool) {
        guard let take else { return }
        self.take = nil
        take(answer)
    }
}
