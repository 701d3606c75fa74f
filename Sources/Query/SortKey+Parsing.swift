import ObjectModel
import Rows

extension SortKey {
    /// Reads a list such as `-age,home.city,dogs.@count`: paths through to-one links and embedded
    /// objects, a minus for descending order; names stand as they are, blanks included.
    ///
    /// `clause` is the parameter's name: `sort`, `distinct` or `by`; only `sort` takes a minus. Errors have
    /// the column in `list`.
    package static func parse(
        list: String, clause: String = "sort", root: QueryRoot, schema: RowSchema
    ) throws(QueryError) -> [SortKey] {
        let source = SourceText(list)
        var keys: [SortKey] = []
        for item in source.split(0..<source.bytes.count, at: UInt8(ascii: ",")) {
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

    /// Reads one path of a list.
    static func key(
        _ item: Range<Int>, of source: SourceText, clause: String, root: QueryRoot,
        schema: RowSchema
    ) throws(QueryError) -> SortKey {
        var item = item
        let isDescending = clause == "sort" && source[item.lowerBound] == UInt8(ascii: "-")
        if isDescending, !item.isEmpty { item = item.lowerBound + 1..<item.upperBound }
        var resolver = PathResolver(schema: schema, root: root, source: source, clause: clause)
        let names = source.split(item, at: UInt8(ascii: "."))
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
            let name = try source.name(names[index])
            let start = names[index].lowerBound
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
        }
        let path = try resolver.path(at: item.lowerBound)
        if let message = path.obstacle(toClause: clause) {
            throw QueryError(.type, message, column: source.column(item.lowerBound))
        }
        return SortKey(path: path, isAscending: !isDescending)
    }
}
