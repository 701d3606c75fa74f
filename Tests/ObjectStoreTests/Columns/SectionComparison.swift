import HoldfastBytes
import HoldfastObjectStore
import HoldfastQuery
import HoldfastRows
import HoldfastTestSupport
import Testing

/// Random sections of things, page by page, by a query and by rows.
struct SectionComparison {
    private struct Expected {
        let key: [UInt8]
        var objects: [UInt64] = []
    }

    private static let keyNames = [
        "number", "wide", "flag", "score", "ratio", "born", "name", "blob", "uid", "city.name",
        "city.size", "city.twin.size", "extra", "prefix(name,1)", "label", "day", "prefix(label,2)",
        "city.@links.Thing.city.@count",
    ]
    private static let orderNames = [
        "", "number", "wide", "score,-ratio", "label", "-day", "flag,-label", "city.name", "-flag",
        "-born", "name", "-city.size",
    ]

    private let rowClass: RowClass
    private let read: ReadTransaction
    private let predicate: Predicate?
    private let text: String
    private let key: SectionKey
    private let sort: [SortKey]

    init(
        _ predicate: Predicate?, _ read: ReadTransaction, _ rowClass: RowClass,
        _ random: inout SeededGenerator
    ) throws {
        let name = Self.keyNames.randomElement(using: &random) ?? "number"
        let order = Self.orderNames.randomElement(using: &random) ?? ""
        // The same key in front puts sections in its order.
        let inner = String(name.drop { $0 != "(" }.dropFirst().prefix { $0 != "," })
        let path = inner.isEmpty ? name : inner
        var parts = [order, [path, "-" + path, ""].randomElement(using: &random) ?? ""]
        if Int.random(in: 0..<3, using: &random) > 0 { parts.reverse() }
        parts.removeAll(where: \.isEmpty)
        try self.init(
            predicate, read, rowClass, by: name,
            sort: parts.isEmpty ? path : parts.joined(separator: ","))
    }

    init(
        _ predicate: Predicate?, _ read: ReadTransaction, _ rowClass: RowClass, by name: String,
        sort names: String
    ) throws {
        text = "\(names) by \(name)"
        key = try SectionKey.parse(name, rootClass: rowClass.index, schema: read.rows)
        sort = try SortKey.parse(
            list: names, clause: "sort", root: .objects(classIndex: rowClass.index),
            schema: read.rows)
        (self.predicate, self.read, self.rowClass) = (predicate, read, rowClass)
    }

    private func makeExpected() throws -> [Expected] {
        let order = SortEvaluator(sort, schema: read.rows)
        let keys = SectionKeyReader(key, isAscending: true, schema: read.rows)
        let matcher = predicate?.makeMatcher(read.rows, source: read)
        var found: [(bytes: [UInt8], key: UInt64, section: [UInt8])] = []
        try read.scan(rowClass) { key, row in
            guard matcher?.matches(row: row, key: key, source: read) ?? true else { return true }
            let (buffer, section) = (ByteBuffer(), ByteBuffer())
            order.append(row: row, key: key, source: read, to: buffer)
            keys.append(row: row, key: key, source: read, to: section)
            found.append((buffer.array, key, section.array))
            return true
        }
        found.sort { a, b in
            a.bytes == b.bytes ? a.key < b.key : a.bytes.lexicographicallyPrecedes(b.bytes)
        }
        var sections: [Expected] = []
        var places: [[UInt8]: Int] = [:]
        for object in found {
            let place = places[object.section] ?? sections.count
            if place == sections.count {
                places[object.section] = place
                sections.append(Expected(key: object.section))
            }
            sections[place].objects.append(object.key)
        }
        return sections
    }

    /// Compares some pages.
    ///
    /// - Returns: Whether columns had all of the first page, where the predicate is of one property at most.
    func compare(_ round: Int, _ random: inout SeededGenerator) throws -> Bool {
        let expected = try makeExpected()
        let keys = SectionKeyReader(key, isAscending: true, schema: read.rows)
        var query = SectionQuery(
            classIndex: rowClass.index, predicate: predicate, stages: nil, sort: sort, key: key,
            sectionCountMax: Int.random(in: 1...6, using: &random),
            objectCountMax: Int.random(in: 0...5, using: &random),
            countsAll: Bool.random(using: &random))
        var place = 0
        var isByColumns = false
        for _ in 0..<3 {
            let execution = SectionExecution(query, in: read, limits: QueryLimits())
            // What was cut has no place to go on from, once it is gone; here nothing goes.
            guard execution.canGoOn else { break }
            let page = try execution.run()
            if place == 0 {
                isByColumns = execution.plans.contains {
                    $0.columns.count > (predicate == nil ? 0 : 1)
                }
            }
            let wanted = expected.dropFirst(place).prefix(query.sectionCountMax)
            let told = "\(round): \(text), \(query.objectCountMax) objects, from \(place)"
            #expect(page.sections.map(\.count) == wanted.map(\.objects.count), "\(told)")
            #expect(
                page.sections.map { $0.objects.map(\.key) }
                    == wanted.map { Array($0.objects.prefix(query.objectCountMax)) }, "\(told)")
            let found = page.sections.map { section in
                let buffer = ByteBuffer()
                keys.append(row: section.any.row, key: section.any.key, source: read, to: buffer)
                return buffer.array
            }
            #expect(found == wanted.map(\.key), "\(told)")
            #expect(page.total == (query.countsAll ? expected.count : nil), "\(told)")
            #expect(page.hasMore == (place + wanted.count < expected.count), "\(told)")
            guard page.hasMore, let last = page.sections.last else { break }
            place += wanted.count
            query.after = last.position
        }
        return isByColumns
    }
}
