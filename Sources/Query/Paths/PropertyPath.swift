import ObjectModel
import Rows

/// A dotted path of property names, as in `fields`, `expand` and `keyPaths`: `home.city`,
/// `dogs.owner`. Unlike in a query, names stand as they are, blanks included.
package struct PropertyPath: Hashable, Sendable {
    /// The position of each named property in its class.
    package var members: [Int]
    /// The way to the object that has the last property.
    package var steps: [PathStep]
    /// The class of the last property, by position in the schema.
    package var classIndex: Int
    /// The last property, read as a value.
    package var value: ValuePath

    /// The position of the last property in its class.
    package var member: Int { members[members.count - 1] }

    /// The properties that the path reads.
    package func dependencies(_ schema: RowSchema) -> [Dependency] { value.dependencies(schema) }

    /// Reads one path.
    ///
    /// - Throws: ``QueryError`` with the column in `text`.
    package static func parse(
        _ text: String, rootClass: Int, schema: RowSchema
    ) throws(QueryError) -> PropertyPath {
        let source = SourceText(text)
        return try parse(
            0..<source.bytes.count, of: source, rootClass: rootClass, schema: schema)
    }

    /// Reads paths separated by commas.
    package static func parse(
        list text: String, rootClass: Int, schema: RowSchema
    ) throws(QueryError) -> [PropertyPath] {
        let source = SourceText(text)
        var paths: [PropertyPath] = []
        for item in source.split(0..<source.bytes.count, at: UInt8(ascii: ",")) {
            paths.append(try parse(item, of: source, rootClass: rootClass, schema: schema))
        }
        return paths
    }

    private static func parse(
        _ range: Range<Int>, of source: SourceText, rootClass: Int, schema: RowSchema
    ) throws(QueryError) -> PropertyPath {
        var resolver = PathResolver(
            schema: schema, root: .objects(classIndex: rootClass), source: source)
        var members: [Int] = []
        for name in source.split(range, at: UInt8(ascii: ".")) {
            try resolver.name(try source.name(name), at: name.lowerBound)
            guard let member = resolver.namedMember else {
                throw QueryError(
                    .unknownProperty,
                    "'\(source.text(name.lowerBound, name.upperBound))' is not a property.",
                    column: source.column(name.lowerBound))
            }
            members.append(member)
        }
        return PropertyPath(
            members: members, steps: resolver.steps, classIndex: resolver.classIndex,
            value: try resolver.path(at: range.lowerBound))
    }
}

extension SourceText {
    /// The pieces between separators, without blanks before them; one empty piece for nothing.
    ///
    /// - `sparesKeys`: Whether separators within keys of maps are none, such as the comma of `costs['a,b']`.
    func split(
        _ range: Range<Int>, at separator: UInt8, sparesKeys: Bool = false
    ) -> [Range<Int>] {
        var pieces: [Range<Int>] = []
        var start = range.lowerBound
        var offset = start
        while offset <= range.upperBound {
            if offset == range.upperBound || bytes[offset] == separator {
                while start < offset, bytes[start] == 0x20 { start += 1 }
                pieces.append(start..<offset)
                start = offset + 1
            } else if sparesKeys, bytes[offset] == UInt8(ascii: "["), Self.isQuote(self[offset + 1])
            {
                offset = endOfKey(offset + 1..<range.upperBound) ?? range.upperBound
                continue
            }
            offset += 1
        }
        return pieces
    }

    /// Whether a key or a text begins or ends here.
    static func isQuote(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: "'") || byte == UInt8(ascii: "\"")
    }

    /// Where the key in quotes ends that a range begins with, behind its last quote; nil where it goes on
    /// beyond the range.
    func endOfKey(_ range: Range<Int>) -> Int? {
        var offset = range.lowerBound + 1
        while offset < range.upperBound {
            if bytes[offset] == bytes[range.lowerBound] { return offset + 1 }
            offset += bytes[offset] == UInt8(ascii: "\\") ? 2 : 1
        }
        return nil
    }

    /// The name in a piece of a path.
    func name(_ piece: Range<Int>) throws(QueryError) -> String {
        guard !piece.isEmpty else {
            throw QueryError(
                .syntax, "A property name is expected here.", column: column(piece.lowerBound))
        }
        return text(piece.lowerBound, piece.upperBound)
    }
}
