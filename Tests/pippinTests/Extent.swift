/// How much of a matrix is asked: three cells of each row, or all of them in the long tests.
enum Extent {
    case some, all

    /// The cells of a row; where some are asked, those behind the ones of the row before, so that all have their turn.
    func cells<Cell>(_ all: [Cell], ofRow row: Int) -> [Cell] {
        self == .all || all.count <= 3 ? all : (0..<3).map { all[(3 * row + $0) % all.count] }
    }
}
