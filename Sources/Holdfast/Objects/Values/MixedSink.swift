import HoldfastBytes
import HoldfastObjectModel
import HoldfastRows

/// Receives an `AnyRealmValue`, part by part.
struct MixedSink {
    private let statement: Statement
    private let buffer = ByteBuffer(capacity: 64)
    /// The bytes of values before it in a collection.
    private let base: Int
    /// Whether the value is null as a whole.
    private var isEmpty: Bool { buffer.count == 0 }

    init(_ statement: Statement, base: Int) {
        self.statement = statement
        self.base = base
    }

    /// The value that was received.
    var view: MixedView { MixedView(buffer.bytes) }

    private var writer: MixedWriter { MixedWriter(buffer) }

    func null() { writer.null() }

    /// The number of lists and dictionaries around the value.
    var depth: Int { statement.depth }
    /// Whether the write is going to be rolled back. The value then does not matter.
    var hasFault: Bool { statement.graph.realm.hasFault }

    func fail(_ message: String) { statement.graph.fail(message) }

    func plain(_ value: Value) {
        statement.graph.require(value)
        writer.value(value)
    }

    /// Receives a link.
    func object(_ object: ObjectBase) {
        let offset = base + buffer.count
        guard let target = statement.graph.mixedTarget(object) else { return null() }
        writer.link(classNumber: target.number, key: 0)
        statement.graph.addReference(
            to: object, statement, element: nil,
            mixed: MixedLinkPosition(offset: offset, classIndex: target.index))
    }

    /// Receives a list.
    func list(count: Int, _ body: (_ index: Int) -> Void) {
        let table = writer.begin(.list, count: count)
        for index in 0..<count {
            body(index)
            writer.close(index, of: table)
        }
    }

    /// Receives a dictionary.
    ///
    /// - `keys`: In the order of their bytes.
    func map(_ keys: [String], _ body: (_ index: Int) -> Void) {
        let table = writer.begin(.map, count: keys.count)
        for (index, key) in keys.enumerated() {
            statement.graph.require(key: key)
            buffer.append(key)
            writer.close(2 * index, of: table)
            body(index)
            writer.close(2 * index + 1, of: table)
        }
    }
}
