import ObjectModel
import Rows

extension SortKey {
    /// Reads a list such as `-age,home.city,dogs.@count,costs['food'],scores[0]`: paths through to-one links
    /// and embedded objects, a minus for descending order; names stand as they are, blanks included, and
    /// keys of maps in quotes, with the escapes of a filter's strings.
    ///
    /// `clause` is the parameter's name: `sort`, `distinct` or `by`; only `sort` takes a minus. Errors have
    /// the column in `list`.
    package static func parse(
        list: String, clause: String = "sort", root: QueryRoot, schema: RowSchema
    ) throws(QueryError) -> [SortKey] {
        let source = SourceText(list)
        var keys: [SortKey] = []
        for item in source.split(0..<source.bytes.count, at: UInt8(ascii: ","), sparesKeys: true) {
            keys.append(try key(item, of: source, clause: clause, root: root, schema: schema))
        }
        return keys
    }

    /// Reads a list for objects of one class.
    package static func parse(
        list: String, clause: String = "sort", rootClass: Int, schema: RowSchema
    ) throws(QueryError) -> [SortKey] {
        try parse(
            list: list, clause: clause, root: .objects(classIndex: rootClass), schema: schema)
    }

    /// The paths of a list as they are written.
    package static func texts(list: String) -> [String] {
        let source = SourceText(list)
        return source.split(0..<source.bytes.count, at: UInt8(ascii: ","), sparesKeys: true).map {
            source.text($0.lowerBound, $0.upperBound)
        }
    }

    /// Reads one path of a list.
    static func key(
        _ item: Range<Int>, of source: SourceText, clause: String, root: QueryRoot,
        schema: RowSchema
    ) throws(QueryError) -> SortKey {
        do throws(QueryError) {
            return try keyAsNamed(item, of: source, clause: clause, root: root, schema: schema)
        } catch {
            // A property may be named so; where none is, a direction is meant.
            guard error.kind == .unknownProperty else { throw error }
            if clause == "sort",
                let hint = descending(source.text(item.lowerBound, item.upperBound))
            {
                throw QueryError(
                    .syntax,
                    "A minus before a path sorts in descending order, nothing in ascending order.",
                    column: source.column(item.lowerBound), hint: hint)
            }
            guard clause != "sort", source[item.lowerBound] == UInt8(ascii: "-") else {
                throw error
            }
            throw QueryError(
                .syntax, "'\(clause)' takes no minus; that is for 'sort', as in sort=-name.",
                column: source.column(item.lowerBound))
        }
    }

    /// What is meant by a path with `asc` or `desc` behind it; nil for other texts.
    private static func descending(_ item: String) -> String? {
        let words = item.split(separator: " ")
        guard words.count == 2 else { return nil }
        return switch words[1].lowercased() {
        case "asc", "ascending": String(words[0])
        case "desc", "descending": "-" + words[0]
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
        var resolver = PathResolver(schema: schema, root: root, source: source, clause: clause)
        let names = source.split(item, at: UInt8(ascii: "."), sparesKeys: true)
        var index = 0
        func aggregate(_ function: AggregateFunction) throws(QueryError) {
            let start = names[index - 1].lowerBound
            guard index < names.count else {
                return try resolver.aggregate(function, at: start)
            }
            try resolver.aggregate(
                function, at: start, of: try source.name(names[index]),
                nameAt: names[index].lowerBound)
            index += 1
        }
        while index < names.count {
            let piece = names[index]
            let open = piece.first { source[$0] == UInt8(ascii: "[") } ?? piece.upperBound
            let name = try source.name(piece.lowerBound..<open)
            let start = piece.lowerBound
            index += 1
            switch name {
            case "@count", "@size":
                try resolver.count(at: start)
            case "@min": try aggregate(.min)
            case "@max": try aggregate(.max)
            case "@sum": try aggregate(.sum)
            case "@avg": try aggregate(.average)
            case "@links":
                if index < names.count, try source.name(names[index]) == "@count" {
                    try resolver.incomingCount(at: start)
                    index += 1
                } else if index + 1 < names.count {
                    try resolver.links(
                        className: try source.name(names[index]),
                        classAt: names[index].lowerBound,
                        property: try source.name(names[index + 1]),
                        propertyAt: names[index + 1].lowerBound)
                    index += 2
                } else {
                    throw QueryError(
                        .syntax,
                        "'@links' is followed by a class and one of its properties, or by "
                            + "'@count'.", column: source.column(start))
                }
            case _ where name.hasPrefix("@"):
                throw QueryError(
                    .type, "The '\(clause)' clause can't use '\(name)'.",
                    column: source.column(start))
            default: try resolver.name(name, at: start)
            }
            try positions(open..<piece.upperBound, of: source, &resolver)
        }
        let path = try resolver.path(at: item.lowerBound)
        if let message = path.obstacle(toClause: clause) {
            throw QueryError(.type, message, column: source.column(item.lowerBound))
        }
        return SortKey(path: path, isAscending: !isDescending)
    }

    /// Reads the positions and keys in brackets behind a name, if there are any.
    private static func positions(
        _ text: Range<Int>, of source: SourceText, _ resolver: inout PathResolver
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
            if isKey {
                var lexer = Lexer(source)
                lexer.position = inner.lowerBound
                _ = try lexer.string()
                guard case .string(let key) = lexer.value else { throw noPosition(source, start) }
                try resolver.key(Array(key.utf8), at: start)
            } else {
                switch source.text(inner.lowerBound, end) {
                case "FIRST", "first": try resolver.position(.first, at: start)
                case "LAST", "last": try resolver.position(.last, at: start)
                case "SIZE", "size": try resolver.count(at: start)
                case let digits:
                    guard digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
                        let index = Int(digits)
                    else { throw noPosition(source, start) }
                    try resolver.position(.index(index), at: start)
                }
            }
            start = end + 1
        }
    }

    private static func noPosition(_ source: SourceText, _ offset: Int) -> QueryError {
        QueryError(
            .syntax,
            "In brackets stands a position, such as 0, FIRST or LAST, or a key in quotes.",
            column: source.column(offset))
    }
}
