import HoldfastObjectModel
import HoldfastRows

/// A value to sort by, or to keep distinct.
package struct SortKey: Hashable, Sendable {
    /// The way to the value: through to-one links, embedded objects and list positions.
    package var path: ValuePath
    /// Whether small values come first.
    package var isAscending: Bool

    /// Makes a key; `path` leads to one value.
    package init(path: ValuePath, isAscending: Bool = true) {
        self.path = path
        self.isAscending = isAscending
    }
}

extension SortKey {
    /// Reads a list such as `-age,home.city,dogs.@count,costs['food'],scores[0]`: paths through to-one links
    /// and embedded objects, a minus for descending order; names stand as they are, blanks included, and
    /// keys of maps in quotes, with the escapes of a filter's strings.
    ///
    /// `clause` is the parameter's name: `sort`, `distinct` or `by`; only `sort` takes a minus. Errors have
    /// the column in `list`. Each path is a step of `budget`.
    package static func parse(
        list: String, clause: String = "sort", root: QueryRoot, schema: RowSchema,
        within budget: Budget = Budget()
    ) throws(QueryError) -> [SortKey] {
        let source = SourceText(list)
        return try source.items.map { (item) throws(QueryError) in
            guard budget.spend() else { throw source.givenUp() }
            return try key(item, of: source, clause: clause, root: root, schema: schema)
        }
    }

    /// The paths of a list as they are written.
    package static func texts(list: String) -> [String] {
        let source = SourceText(list)
        return source.items.map { source.text($0) }
    }

    /// Reads one path of a list.
    static func key(
        _ item: Range<Int>, of source: SourceText, clause: String, root: QueryRoot,
        schema: RowSchema
    ) throws(QueryError) -> SortKey {
        do throws(QueryError) {
            return try keyAsNamed(item, of: source, clause: clause, root: root, schema: schema)
        } catch {
            // A property may have this name; otherwise a direction is meant.
            guard error.kind == .unknownProperty else { throw error }
            if clause == "sort", let hint = descending(source.text(item)) {
                throw source.fault(
                    .syntax,
                    "A minus before a path sorts in descending order, no sign in ascending order.",
                    at: item.lowerBound, hint: hint)
            }
            guard clause != "sort", source[item.lowerBound] == UInt8(ascii: "-") else {
                throw error
            }
            throw source.fault(
                .syntax, "'\(clause)' takes no minus; that is for 'sort', as in sort=-name.",
                at: item.lowerBound)
        }
    }

    /// The clause that is meant by a path with a direction behind it, as `name asc`, `name:desc` or `{"name": -1}`; nil for other
    /// texts.
    private static func descending(_ item: String) -> String? {
        // `name.desc`, too.
        for (ending, sign) in [(".asc", ""), (".desc", "-")] where item.hasSuffix(ending) {
            return sign + item.dropLast(ending.count)
        }
        let isPair = item.contains(":")
        let words = item.split { isPair ? " :{}\"'".contains($0) : $0 == " " }
        guard words.count == 2 else { return nil }
        return switch words[1].lowercased() {
        case "asc", "ascending", "1": String(words[0])
        case "desc", "descending", "-1": "-" + words[0]
        default: nil
        }
    }

    private static func keyAsNamed(
        _ item: Range<Int>, of source: SourceText, clause: String, root: QueryRoot,
        schema: RowSchema
    ) throws(QueryError) -> SortKey {
        var item = item
        let isDescending = clause == "sort" && source[item.lowerBound] == UInt8(ascii: "-")
        if isDescending, !item.isEmpty { item = item.lowerBound + 1..<item.upperBound }
        var steps: [Syntax.Step] = []
        for piece in source.split(item, at: UInt8(ascii: "."), sparesKeys: true) {
            let open = piece.first { source[$0] == UInt8(ascii: "[") } ?? piece.upperBound
            let name = try source.name(piece.lowerBound..<open)
            let kind: Syntax.Step.Kind
            switch name {
            case "@links": kind = .links
            case "@keys" where clause == "by": kind = .keys
            case _ where name.hasPrefix("@"):
                guard let operation = Syntax.Step.Kind(operation: name) else {
                    throw source.fault(
                        .type, "The '\(clause)' clause can't use '\(name)'.",
                        at: piece.lowerBound)
                }
                kind = operation
            default: kind = .name(name)
            }
            steps.append(Syntax.Step(kind: kind, start: piece.lowerBound))
            try appendPositions(open..<piece.upperBound, of: source, to: &steps)
        }
        let checker = Checker(
            schema: schema, root: root, source: source, arguments: [], work: CheckerWork())
        return try checker.key(
            Syntax.Path(steps: steps, range: item), !isDescending, clause: clause)
    }

    /// Reads the positions and keys in brackets behind a name, if there are any.
    private static func appendPositions(
        _ text: Range<Int>, of source: SourceText, to steps: inout [Syntax.Step]
    ) throws(QueryError) {
        var start = text.lowerBound
        while start < text.upperBound {
            let inner = start + 1..<text.upperBound
            let isKey = SourceText.isQuote(source[inner.lowerBound])
            var end = isKey ? source.endOfKey(inner) ?? inner.lowerBound : inner.lowerBound
            while end < text.upperBound, source[end] != UInt8(ascii: "]"), !isKey { end += 1 }
            guard source[start] == UInt8(ascii: "["), source[end] == UInt8(ascii: "]"),
                end < text.upperBound
            else { throw noPosition(source, start) }
            let kind: Syntax.Step.Kind
            switch source.text(inner.lowerBound, end) {
            case _ where isKey:
                var lexer = Lexer(source)
                lexer.position = inner.lowerBound
                _ = try lexer.string()
                guard case .string(let key) = lexer.value else { throw noPosition(source, start) }
                kind = .position(.key(Array(key.utf8)))
            case "FIRST", "first": kind = .position(.first)
            case "LAST", "last": kind = .position(.last)
            case "SIZE", "size": kind = .count
            case let digits:
                guard digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
                    let index = Int(digits)
                else { throw noPosition(source, start) }
                kind = .position(.index(index))
            }
            steps.append(Syntax.Step(kind: kind, start: start))
            start = end + 1
        }
    }

    private static func noPosition(_ source: SourceText, _ offset: Int) -> QueryError {
        source.fault(
            .syntax,
            "Brackets contain a position, such as 0, FIRST or LAST, or a key in quotes.",
            at: offset)
    }
}
