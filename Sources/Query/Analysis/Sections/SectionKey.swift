import HoldfastObjectModel
import HoldfastRows
import HoldfastText

/// The key that the objects of a section have in common: one value, or the beginning of a text.
package struct SectionKey: Hashable, Sendable {
    /// The way to the value: of a scalar type, and of a string where ``prefixCount`` is stated.
    package var path: ValuePath
    /// The number of Unicode scalars from the beginning of the text that are the key; nil for the whole value.
    package var prefixCount: Int?

    /// The most Unicode scalars of a beginning: no such key is cut by ``OrderedKey``.
    package static let prefixCountMax = 64

    /// Reads a path such as `country.name`, or `prefix(name,1)`, as in ``SortKey``.
    ///
    /// - Throws: ``QueryError`` with the column in `text`.
    package static func parse(
        _ text: String, rootClass: Int, schema: RowSchema
    ) throws(QueryError) -> SectionKey {
        let source = SourceText(text)
        let all = 0..<source.bytes.count
        // Behind a bracket it stands in the key of a map.
        let named = source.bytes.prefix { $0 != UInt8(ascii: "[") }
        guard let open = named.firstIndex(of: UInt8(ascii: "(")) else {
            if let comma = source.items.dropFirst().first {
                throw source.fault(
                    .syntax, "Sections are made by one path; a second one begins here.",
                    at: comma.lowerBound)
            }
            return SectionKey(path: try path(all, of: source, rootClass, schema))
        }
        let word = source.text(0, open)
        guard word == "prefix" else {
            throw source.fault(
                .syntax, "A path or 'prefix(path,n)' is expected here.", at: 0,
                hint: NearestName.of(word, among: ["prefix"]))
        }
        let parts =
            source[all.upperBound - 1] == UInt8(ascii: ")")
            ? source.split(open + 1..<all.upperBound - 1, at: UInt8(ascii: ","), sparesKeys: true)
            : []
        guard parts.count == 2 else {
            throw source.fault(
                .syntax,
                "'prefix' takes a path and a number in parentheses, as in prefix(name,1).",
                at: open)
        }
        let path = try path(parts[0], of: source, rootClass, schema)
        guard path.type == .scalar(.string) else {
            throw source.fault(
                .type,
                "'prefix' takes a path to a string, and this is of type '\(path.type.name)'.",
                at: parts[0].lowerBound)
        }
        guard let count = Int(source.text(parts[1])), (1...prefixCountMax).contains(count) else {
            throw source.fault(
                .limit, "'prefix' takes a number of characters from 1 to \(prefixCountMax).",
                at: parts[1].lowerBound)
        }
        return SectionKey(path: path, prefixCount: count)
    }

    private static func path(
        _ item: Range<Int>, of source: SourceText, _ rootClass: Int, _ schema: RowSchema
    ) throws(QueryError) -> ValuePath {
        let path = try SortKey.key(
            item, of: source, clause: "by", root: .objects(classIndex: rootClass), schema: schema
        ).path
        if path.isMany { throw source.fault(.type, ValuePath.needsOne("by"), at: item.lowerBound) }
        if case .link = path.type {
            throw source.fault(
                .type, "Sections can't be made by an object; name one of its properties.",
                at: item.lowerBound)
        }
        return path
    }
}
