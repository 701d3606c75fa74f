import HoldfastBytes
import HoldfastObjectModel
import HoldfastObjectStore
import HoldfastObjectSupport
import HoldfastRows
import HoldfastTestSupport

/// Damaged rows, and bytes that are no collections: reads stay within their bounds.
enum RowTarget {
    static func round(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let store = try Store(engine: try EngineCase.memory.open())
        defer { store.close() }
        try store.setSchema(Shelter.classes)
        let maker = RandomContent(Shelter.classes)
        let person = Shelter.classes[0]
        for _ in 0..<10 {
            _ = try? store.put("Person", maker.draft(person, known: [], share: 90, &random))
        }
        let transaction = try store.read()
        defer { transaction.close() }
        let rowClass = transaction.rows.classes[0]
        let reader = ContentReader(schema: transaction.rows, source: transaction) {
            .int(Int64(bitPattern: $1))
        }
        var rows: [[UInt8]] = []
        try transaction.scan(rowClass) { _, row in
            rows.append(Array(row.bytes))
            return true
        }
        for row in rows {
            for _ in 0..<40 { read(damaged(row, &random), rowClass, reader) }
        }
        for _ in 0..<300 { try readCollection(&random) }
    }

    private static func damaged(_ row: [UInt8], _ random: inout SeededGenerator) -> [UInt8] {
        var row = row
        for _ in 0..<Int.random(in: 1...5, using: &random) {
            row[Int.random(in: row.indices, using: &random)] = UInt8(
                truncatingIfNeeded: random.next())
        }
        if Bool.random(using: &random) {
            row.removeLast(Int.random(in: 0..<row.count, using: &random))
            if row.count >= 8 {
                withUnsafeBytes(of: UInt32(row.count)) { row.replaceSubrange(4..<8, with: $0) }
            }
        }
        return row
    }

    private static func read(_ bytes: [UInt8], _ rowClass: RowClass, _ reader: ContentReader) {
        // A copy of its own, so that a read beyond the end is seen by a memory checker.
        let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: bytes.count, alignment: 8)
        defer { copy.deallocate() }
        copy.copyBytes(from: bytes)
        guard let row = RowView(UnsafeRawBufferPointer(copy)), rowClass.canRead(row) else { return }
        _ = reader.content(row, rowClass)
    }

    private static func readCollection(_ random: inout SeededGenerator) throws {
        let byteCount = Int.random(in: 0...48, using: &random)
        let bytes = (0..<byteCount).map { position in
            position % 4 == 0 ? UInt8.random(in: 0...12, using: &random) : 0
        }
        let elements: [ElementStorage] = [.bool, .int, .string, .date, .uuid, .link, .embedded]
        let element = elements[Int.random(in: elements.indices, using: &random)]
        try bytes.withUnsafeBytes { raw in
            let view = CollectionView(raw, element: element)
            for index in 0..<view.count {
                _ = view.isNull(index)
                let part = view.bytes(index)
                guard part.count > 0, let start = part.baseAddress, let base = raw.baseAddress
                else {
                    continue
                }
                try expect(
                    start >= base && start + part.count <= base + raw.count,
                    "an element of \(element) lies outside: \(bytes)")
            }
        }
    }
}
