/// Passes on the first of several answers.
///
/// Belongs to its loop's thread.
final class FirstAnswer {
    private var take: ((Bool) -> Void)?

    init(_ take: @escaping (Bool) -> Void) {
        self.take = take
    }

    func give(_ answer: Bool) {
        guard let take else { return }
        self.take = nil
        take(answer)
    }
}
