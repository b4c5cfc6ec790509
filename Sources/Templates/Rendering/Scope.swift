/// The page, a group or a row being written, its type forgotten.
@usableFromInline
class Scope {
    @usableFromInline init() {}
}
