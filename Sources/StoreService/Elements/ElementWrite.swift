import Bytes
import JSON
import ObjectJSON
import ObjectModel
import ObjectStore
import Rows

/// A change of one element of a collection, or of something inside a `mixed` value.
package struct ElementWrite: WriteBody, @unchecked Sendable {
    // Unchecked: one thread at a time has it, see ``ServedWrite``.

    /// What is done with the element.
    package enum Action: Sendable {
        case add, put, delete
    }

    /// What is to change, and what it becomes.
    private enum Change {
        /// An element of the collection.
        case element(ElementEdit, ObjectDraft)
        /// Something inside a `mixed` value.
        case inside(MixedEdit, ObjectDraft?)
    }

    /// What has been done.
    private struct Made {
        var schema: RowSchema
        var key: UInt64
        /// Whether an element or entry came.
        var isCreated: Bool
        /// Where the element stands now.
        var position: Int?
    }

    /// Where in a list the element is added; nil for its end.
    package var place: Int?
    /// What must hold of the object.
    package var precondition = Precondition.none
    /// What the caller wants of the reply.
    package var form = ReplyForm()
    private let action: Action
    private let address: ElementAddress
    private let served: ServedStore
    /// The bare value.
    private var body: RequestBytes?
    private var target: ElementTarget?
    private var change: Change?
    private var made: Made?
    private let row = ByteBuffer(capacity: 512)

    /// Makes a change; `body` is the bare value.
    package init(
        _ action: Action, _ address: ElementAddress, _ body: RequestBytes, in served: ServedStore
    ) {
        self.action = action
        self.address = address
        self.body = body
        self.served = served
    }

    package mutating func prepare(
        _ names: SchemaNames, _ scratch: RequestScratch
    ) throws(RequestFault) {
        guard body != nil else { return }
        let target = try address.target(isInside: action == .add, names, scratch)
        if let steps = target.inner {
            change = try change(inside: steps, target, names, scratch)
        } else {
            change = try change(target, names, scratch)
        }
        self.target = target
    }

    private func json(_ scratch: RequestScratch) throws(RequestFault) -> JSONValue {
        try served.json(
            body?.bytes ?? UnsafeRawBufferPointer(start: nil, count: 0), scratch.parser)
    }

    private func change(
        _ target: ElementTarget, _ names: SchemaNames, _ scratch: RequestScratch
    ) throws(RequestFault) -> Change {
        let edit = try edit(target)
        let reader = scratch.reader
        reader.reset()
        let draft: ObjectDraft?
        switch (edit, target.address) {
        case (.remove, _): draft = ObjectDraft(target.rowClass, isMerge: false)
        case (.removeEntry, .key(let key)):
            let removal = ObjectDraft(target.rowClass, isMerge: true)
            key.withUnsafeBytes { removal.addEntry($0, .removed) }
            removal.setEntries(target.member, from: 0)
            draft = removal
        case (.put, .key(let key)):
            try requireMapKey(key)
            let json = try json(scratch)
            draft = key.withUnsafeBytes {
                reader.readEntry(json, under: $0, target.member, of: target.rowClass, names)
            }
        case (.removeEqual, _):
            return .element(edit, try value(target, names, scratch))
        default:
            draft = reader.readElement(
                try json(scratch), target.member,
                of: target.rowClass, names)
        }
        guard let draft else { throw reader.fault() }
        return .element(edit, draft)
    }

    private func change(
        inside steps: [[UInt8]], _ target: ElementTarget, _ names: SchemaNames,
        _ scratch: RequestScratch
    ) throws(RequestFault) -> Change {
        if target.storage.shape == .set { throw Self.setElement(target.property.name) }
        let edit: MixedEdit
        switch action {
        case .delete: return .inside(MixedEdit(steps, .remove), nil)
        case .add: edit = MixedEdit(steps, .insert(at: place))
        case .put:
            // What is no key is no position either.
            if let last = steps.last { try requireMapKey(last) }
            edit = MixedEdit(steps, .put)
        }
        let reader = scratch.reader
        reader.reset()
        let json = try json(scratch)
        let depth = action == .add ? steps.count + 1 : steps.count
        let draft: ObjectDraft?
        if case .key(let key) = target.address {
            draft = key.withUnsafeBytes {
                reader.readEntry(
                    json, under: $0, target.member, of: target.rowClass, names, depth: depth)
            }
        } else {
            draft = reader.readElement(
                json, target.member, of: target.rowClass, names, depth: depth)
        }
        guard let draft else { throw reader.fault() }
        return .inside(edit, draft)
    }

    /// What the store is to do.
    ///
    /// - Throws: ``RequestFault`` `.unsupportedOperation` for what the collection can't do.
    private func edit(_ target: ElementTarget) throws(RequestFault) -> ElementEdit {
        let name = target.property.name
        switch (action, target.storage.shape, target.address) {
        case (.add, .list, _): return .insert(at: place)
        case (.add, .set, _):
            if place == nil { return .add }
            throw .parameter(
                "at", "'\(name)' is a set, which has an order of its own; leave 'at' out.")
        case (.add, _, _):
            throw Self.notAllowed(
                "'\(name)' is a map, whose entries have keys: PUT …/elements/{key}.",
                allow: "GET, HEAD, PUT, DELETE, OPTIONS")
        case (.put, .list, .position(let position)): return .replace(at: position)
        case (.put, .map, .key): return .put
        case (.delete, .list, .position(let position)): return .remove(at: position)
        case (.delete, .map, .key): return .removeEntry
        case (_, .set, .position):
            throw Self.setElement(name)
        case (.delete, .list, _), (.delete, .set, _):
            if target.storage.element != .embedded {
                return .removeEqual(isSet: target.storage.shape == .set)
            }
            throw .parameter(
                "value",
                "The elements of '\(name)' are embedded objects, which are not compared; remove one "
                    + "by its position: DELETE …/elements/0.")
        default:
            throw .parameter(
                "key", "This path needs the key of a map's entry as JSON, such as ?key=%22a%2Fb%22."
            )
        }
    }

    private static func setElement(_ name: String) -> RequestFault {
        notAllowed(
            "'\(name)' is a set, whose elements are values without positions: POST …/elements "
                + "adds one, DELETE …/elements?value= takes one away.",
            allow: "GET, HEAD, OPTIONS")
    }

    private static func notAllowed(_ detail: String, allow: String) -> RequestFault {
        RequestFault(
            .unsupportedOperation, "element-method-not-allowed", detail, alternatives: allow)
    }

    private func requireMapKey(_ key: [UInt8]) throws(RequestFault) {
        guard let fault = key.withUnsafeBytes({ MapKey.fault(of: $0) }) else { return }
        let detail = fault.detail
        throw RequestFault(
            .invalid, fault.code, detail,
            errors: [
                RequestFault.Entry(
                    code: fault.code, detail: detail, parameter: address.parameterName)
            ])
    }

    /// Reads the value that is to go from `?value=`.
    private func value(
        _ target: ElementTarget, _ names: SchemaNames, _ scratch: RequestScratch
    ) throws(RequestFault) -> ObjectDraft {
        guard case .parameters(_, let text?) = address.element else {
            throw .parameter(
                "value",
                "Say which value is to go, as JSON: …/elements?value=7 or ?value=%22a%22.")
        }
        let json: JSONValue
        do {
            json = try scratch.parser.parse(
                text.bytes,
                depthMax: target.storage.element == .mixed ? served.limits.jsonDepthMax : 4)
        } catch {
            throw .parameter(
                "value",
                "'value' is JSON, such as value=7 or value=\"a\" (percent-encoded); at byte "
                    + "\(error.offset + 1) \(error.message).")
        }
        let reader = scratch.reader
        if let draft = reader.readElement(json, target.member, of: target.rowClass, names),
            draft.children.isEmpty
        {
            return draft
        }
        throw .parameter(
            "value", reader.faults.first?.detail ?? "A link is given by its target's key here.")
    }

    // MARK: Writing

    package mutating func run(_ transaction: WriteTransaction) throws(WriteFailure) {
        guard let target, let change else { return }
        let rowClass = target.rowClass
        let attempt: Result<ElementResult, MixedEdit.Fault>
        let key: UInt64
        do throws(StoreError) {
            key = try transaction.require(target.object, precondition).key
            switch change {
            case .element(let edit, let draft):
                attempt = .success(
                    try transaction.edit(
                        edit, target.member, of: rowClass, key: key, draft,
                        precondition: precondition))
            case .inside(let edit, let draft):
                attempt = try transaction.edit(
                    inside: edit, of: target.place, target.member, of: rowClass, key: key, draft,
                    precondition: precondition)
            }
        } catch {
            throw .store(error)
        }
        let result: ElementResult
        switch attempt {
        case .success(let made): result = made
        case .failure(let fault): throw .request(RequestFault(fault, in: target))
        }
        row.removeAll()
        row.append(result.written.row.bytes)
        made = Made(
            schema: transaction.catalog.rows, key: key, isCreated: result.isCreated,
            position: result.position)
    }

    // MARK: The reply

    package func reply(_ writer: ReplyWriter) throws(RequestFault) -> WriteReply {
        guard let made, let target else { throw served.fault(.closing) }
        let object = ObjectIdentity(classIndex: target.rowClass.index, key: made.key)
        var reply = try writer.reply(to: object, of: made.schema, row, isCreated: false)
        reply.isCreated = made.isCreated
        if made.isCreated, let row = RowView(row.bytes) {
            reply.created = .element(target, row, key: made.key, position: made.position)
        }
        return reply
    }

    package mutating func end(_ scratch: RequestScratch) { body = nil }

    /// The fault of a failed write, whose body is the bare value.
    package func fault(_ error: StoreError) -> RequestFault {
        guard let target else { return served.fault(error) }
        let outer = target.storage.shape == .single ? 1 : 2
        if case .unstated(var properties) = error {
            for index in properties.indices {
                properties[index].path.removeFirst(min(outer, properties[index].path.count))
            }
            return served.fault(.unstated(properties))
        }
        guard case .danglingLinks(var links) = error else { return served.fault(error) }
        if action == .delete { return served.fault(.elementNotFound) }
        for index in links.indices {
            links[index].path.removeFirst(min(outer, links[index].path.count))
        }
        return served.fault(.danglingLinks(links))
    }
}
