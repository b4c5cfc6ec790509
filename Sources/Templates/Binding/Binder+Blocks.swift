extension Binder {
    mutating func bindBlock(_ block: Block) {
        switch block.kind {
        case .if: bindIf(block)
        case .each: bindEach(block)
        case .with: bindWith(block.arms[0].condition.path, block) { $0.bind(block.arms[0].nodes) }
        }
    }

    private mutating func bindIf(_ block: Block) {
        let start = html
        var ends: [HTMLTokenizer] = []
        var jumps: [Int] = []
        for (index, arm) in block.arms.enumerated() {
            html = start
            let match = findCondition(arm.condition.path)
            let test = builder.reserve()
            bind(arm.nodes)
            ends.append(html)
            if index < block.arms.count - 1 || !block.otherwise.isEmpty { jumps.append(builder.reserve()) }
            let otherwise = builder.label()
            guard let match else { continue }
            let isNegated = arm.condition.isNegated
            builder.fill(test, .test(builder.reference(to: match), isNegated: isNegated, otherwise: otherwise))
        }
        html = start
        bind(block.otherwise)
        ends.append(html)
        let exit = builder.label()
        for jump in jumps { builder.fill(jump, .jump(exit)) }
        join(ends, of: block)
    }

    private mutating func findCondition(_ path: Path) -> NameScope.Match? {
        guard let match = find(path) else { return nil }
        switch match.kind {
        case .flag, .optionalText, .optionalWords, .list, .optionalGroup: return match
        case .text, .words, .integer, .html, .url, .group:
            let expected = "a flag, an optional text, a list or an optional group"
            report(path.offset, found: "`{{#if}}` over \(match.kind.noun): `\(path.text)`", expected: expected)
            return nil
        }
    }

    private mutating func bindEach(_ block: Block) {
        let path = block.arms[0].condition.path
        let match = findList(path)
        let each = builder.reserve()
        let start = html
        names.enter(match?.kind.schema)
        let loopEnd = bindRepeated(block)
        names.leave()
        let end = builder.label()
        html = start
        bind(block.otherwise)
        let exit = builder.label()
        if let match { builder.fill(each, .each(builder.reference(to: match), end: end, exit: exit)) }
        join([loopEnd, html], of: block)
    }

    private mutating func findList(_ path: Path) -> NameScope.Match? {
        guard let match = find(path) else { return nil }
        if case .list = match.kind { return match }
        let found = "`{{#each}}` over \(match.kind.noun): `\(path.text)`"
        report(path.offset, found: found, expected: "a list")
        return nil
    }

    /// Binds the body of a loop so that it is correct for the first row and for every later row.
    ///
    /// If the body ends in another HTML state than it began in, it is bound again from the state that covers both, and
    /// must end in a state that the joined one covers.
    private mutating func bindRepeated(_ block: Block) -> HTMLTokenizer {
        let start = html
        let (mark, reported) = (builder.mark, diagnostics.all.count)
        bind(block.arms[0].nodes)
        guard let entry = start.joined(with: html) else {
            reportApart(start, html, of: block)
            return start
        }
        guard entry != start else { return entry }
        builder.goBack(to: mark)
        diagnostics.truncate(to: reported)
        html = entry
        bind(block.arms[0].nodes)
        if entry.joined(with: html) != entry { reportApart(entry, html, of: block) }
        return entry
    }

    /// Binds a `with` block and its `else`, or a partial inside a group, which has no `else`.
    mutating func bindWith(_ path: Path, _ block: Block? = nil, _ body: (inout Binder) -> Void) {
        let match = findGroup(path)
        let with = builder.reserve()
        let start = html
        names.enter(match?.kind.schema)
        body(&self)
        names.leave()
        let inside = html
        let end = builder.label()
        html = start
        bind(block?.otherwise ?? [])
        let exit = builder.label()
        if let match { builder.fill(with, .with(builder.reference(to: match), end: end, exit: exit)) }
        let isAlwaysThere = if case .group? = match?.kind { true } else { false }
        join(isAlwaysThere ? [inside] : [inside, html], of: block, at: path)
    }

    private mutating func findGroup(_ path: Path) -> NameScope.Match? {
        guard let match = find(path) else { return nil }
        switch match.kind {
        case .group, .optionalGroup: return match
        default:
            report(path.offset, found: "`with` over \(match.kind.noun): `\(path.text)`", expected: "a group")
            return nil
        }
    }

    /// Continues from the HTML state in which all branches end; reports an error if they have none in common.
    private mutating func join(_ ends: [HTMLTokenizer], of block: Block?, at path: Path? = nil) {
        var joined = ends[0]
        for end in ends.dropFirst() {
            guard let both = joined.joined(with: end) else {
                reportApart(joined, end, of: block, at: path)
                break
            }
            joined = both
        }
        html = joined
    }

    private mutating func reportApart(
        _ one: HTMLTokenizer, _ other: HTMLTokenizer, of block: Block?, at path: Path? = nil,
    ) {
        let what = block.map { "`{{#\($0.kind)}}`" } ?? "`with`"
        let places = "\(one.description) and \(other.description)"
        let found = "\(what) whose ways end in different places of the HTML: \(places)"
        report(block?.offset ?? path?.offset ?? 0, found: found, expected: "one place")
    }
}
