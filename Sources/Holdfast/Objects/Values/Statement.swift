import HoldfastObjectModel
import HoldfastRows

/// Adds the value of one property to a draft.
public struct Statement {
    let draft: ObjectDraft
    let member: Int
    /// Finds the objects that links lead to.
    let graph: ObjectGraph
    /// The number of lists and dictionaries around a value within an `AnyRealmValue`; 0 for a whole value.
    var depth = 0

    private var storage: FieldStorage { draft.rowClass.members[member].storage }

    func single(_ encode: (ElementSink) -> Void) { encode(ElementSink(taker: SingleSink(self))) }

    /// Adds a single plain value.
    func plain(_ value: Value) {
        graph.require(value)
        if !draft.set(member, value: value) { fail(value) }
        // A ``DynamicObject`` passes raw values.
        if compiled.hasCases, !draft.isCase(member, scratch: graph.caseScratch) { fail(value) }
    }

    private var compiled: RowClass.Member { draft.rowClass.members[member] }

    private func fail(_ value: Value) {
        graph.fail("Invalid value '\(value.text)' for property '\(name)'.")
    }

    /// Notes a fault if an element is not a case of the property's enum.
    private func requireCase(_ value: Value, _ bytes: UnsafeRawBufferPointer?) {
        guard compiled.hasCases, let bytes, let cases = draft.rowClass.cases[member] else { return }
        if !cases.holds(bytes, storage.element, scratch: graph.caseScratch) { fail(value) }
    }

    /// Adds the elements of a list or set.
    func elements<Elements: Sequence>(_ elements: Elements)
    where Elements.Element: RealmCollectionValue {
        if depth > 0 {
            for element in elements { part { Elements.Element._encode(element, to: $0) } }
            return
        }
        let sink = CollectionSink(self)
        for element in elements { Elements.Element._encode(element, to: ElementSink(taker: sink)) }
        sink.finish()
    }

    /// Adds the entries of a map.
    func entries<Element: RealmCollectionValue>(_ entries: some Sequence<(String, Element)>) {
        if depth > 0 {
            for (key, value) in entries {
                graph.require(key: key)
                part { Element._encode(value, to: $0) }
            }
            return
        }
        let sink = EntrySink(self)
        for (key, value) in entries {
            graph.require(key: key)
            sink.key = key
            Element._encode(value, to: ElementSink(taker: sink))
        }
        sink.finish()
    }

    /// Adds one value within an `AnyRealmValue`, as an element of the property's own kind.
    private func part(_ encode: (ElementSink) -> Void) {
        switch storage.shape {
        case .map:
            let sink = EntrySink(self)
            encode(ElementSink(taker: sink))
            sink.finish()
        case .list, .set:
            let sink = CollectionSink(self)
            encode(ElementSink(taker: sink))
            sink.finish()
        default: single(encode)
        }
    }

    // MARK: Sinks

    private final class SingleSink: ElementTaker {
        let statement: Statement
        init(_ statement: Statement) { self.statement = statement }

        func null() { statement.draft.setNull(statement.member) }

        func plain(_ value: Value) { statement.plain(value) }

        func object(_ object: ObjectBase) {
            if statement.storage.element == .embedded {
                if let child = statement.graph.embeddedDraft(of: object, for: .link, statement) {
                    statement.draft.set(statement.member, child: child)
                }
            } else if statement.graph.addReference(to: object, statement, element: nil) {
                statement.draft.setReference(statement.member)
            }
        }

        func mixed(_ write: (MixedSink) -> Void) {
            let start = statement.draft.references.count
            let sink = MixedSink(statement, base: 0)
            write(sink)
            statement.draft.set(statement.member, mixed: sink.view, from: start)
        }
    }

    private final class CollectionSink: ElementTaker {
        let statement: Statement
        private let collection = ScalarCollectionBuilder()
        private var children: [ObjectDraft] = []
        private let referenceStart: Int
        private var count = 0

        init(_ statement: Statement) {
            self.statement = statement
            referenceStart = statement.draft.references.count
            collection.reset(statement.storage.element)
        }

        func null() {
            collection.appendNull()
            count += 1
        }

        func plain(_ value: Value) {
            statement.graph.require(value)
            collection.append(value: value)
            statement.requireCase(value, collection.last)
            count += 1
        }

        func object(_ object: ObjectBase) {
            if statement.storage.element == .embedded {
                if let child = statement.graph.embeddedDraft(
                    of: object, for: .element(children.count), statement)
                {
                    children.append(child)
                }
            } else if statement.graph.addReference(to: object, statement, element: count) {
                count += 1
            }
        }

        func mixed(_ write: (MixedSink) -> Void) {
            let sink = MixedSink(statement, base: collection.byteCount)
            write(sink)
            sink.view.isNull ? collection.appendNull() : collection.append(text: sink.view.bytes)
            count += 1
        }

        func finish() {
            let draft = statement.draft
            switch statement.storage.element {
            case .embedded: draft.set(statement.member, children: children)
            case .link: draft.setReferences(statement.member, from: referenceStart)
            case .mixed: draft.set(statement.member, mixed: collection, from: referenceStart)
            default: draft.set(statement.member, collection: collection)
            }
        }
    }

    private final class EntrySink: ElementTaker {
        let statement: Statement
        var key = ""
        private let start: Int

        init(_ statement: Statement) {
            self.statement = statement
            start = statement.draft.entries.count
        }

        private func add(_ value: DraftEntry.Value) {
            var key = key
            key.withUTF8 { statement.draft.addEntry(UnsafeRawBufferPointer($0), value) }
        }

        func null() { add(.null) }

        func plain(_ value: Value) {
            statement.graph.require(value)
            let collection = ScalarCollectionBuilder()
            collection.reset(statement.storage.element)
            collection.append(value: value)
            guard let bytes = collection.last else { return }
            statement.requireCase(value, bytes)
            var key = key
            key.withUTF8 { statement.draft.addEntry(UnsafeRawBufferPointer($0), bytes: bytes) }
        }

        func object(_ object: ObjectBase) {
            if statement.storage.element == .embedded {
                if let child = statement.graph.embeddedDraft(
                    of: object, for: .entry(key), statement)
                {
                    add(.child(statement.draft.addChild(child)))
                }
            } else if statement.graph.addReference(
                to: object, statement, element: statement.draft.entries.count)
            {
                add(.reference(statement.draft.references.count - 1))
            }
        }

        func mixed(_ write: (MixedSink) -> Void) {
            let referenceStart = statement.draft.references.count
            let sink = MixedSink(statement, base: 0)
            write(sink)
            var key = key
            key.withUTF8 {
                statement.draft.addEntry(
                    UnsafeRawBufferPointer($0), mixed: sink.view, from: referenceStart)
            }
        }

        func finish() { statement.draft.setEntries(statement.member, from: start) }
    }

    var name: String { draft.rowClass.definition.properties[member].name }
}
