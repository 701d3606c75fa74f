import HoldfastBytes
import HoldfastJSON
import HoldfastObjectJSON
import HoldfastObjectModel
import HoldfastObjectStore
import HoldfastRows

/// A change of one element of a collection, or of something inside a `mixed` value.
package struct ElementWrite: WriteCase, @unchecked Sendable {
    // Unchecked: one thread at a time has it, see ``ServedWrite``.

    /// The change of the element.
    package enum Action: Sendable { case add, put, delete }

    /// The change that has been made.
    private struct Made {
        var schema: RowSchema
        var key: UInt64
        var outcome: ElementOutcome
    }

    /// Where in a list the element is added; nil for its end.
    package var place: Int?
    package var precondition = Precondition.none
    /// How the caller wants the reply.
    package var form = ReplyForm()
    package let caller: Caller
    private let action: Action
    private let address: ElementAddress
    private let served: ServedStore
    /// The bare value.
    private var body: RequestBytes?
    private var target: ElementTarget?
    private var edit: ObjectEdit?
    private var made: Made?
    private let row = ByteBuffer(capacity: 512)

    /// Makes a change; `body` is the bare value.
    package init(
        _ action: Action, _ address: ElementAddress, _ body: RequestBytes, for caller: Caller,
        in served: ServedStore
    ) {
        self.action = action
        self.address = address
        self.body = body
        self.served = served
        self.caller = caller
    }

    package mutating func prepare(
        _ names: SchemaNames, _ scratch: RequestScratch
    ) throws(RequestFault) {
        guard body != nil else { throw served.fault(.closing) }
        let target = try address.target(isInside: action == .add, names, scratch)
        edit = try edit(target, names, scratch)
        self.target = target
    }

    /// Makes the edit for the store.
    private func edit(
        _ target: ElementTarget, _ names: SchemaNames, _ scratch: RequestScratch
    ) throws(RequestFault) -> ObjectEdit {
        let path = try path(target)
        let reader = scratch.reader
        if action == .delete {
            return ObjectEdit(
                path,
                path.element == .end ? .removeEqual(try value(path, names, scratch)) : .remove)
        }
        let json = try served.json(
            body?.bytes ?? UnsafeRawBufferPointer(start: nil, count: 0), scratch.parser)
        guard let draft = reader.readElement(json, at: path, names) else { throw reader.fault() }
        return ObjectEdit(path, .place(draft, action == .add ? .insert : .put))
    }

    /// Where the store is to do it.
    ///
    /// - Throws: ``RequestFault`` `.unsupportedOperation` for operations that the collection does not have.
    private func path(_ target: ElementTarget) throws(RequestFault) -> EditPath {
        let name = target.property.name
        var path = EditPath(target.rowClass)
        path.member = target.member
        path.element = target.element
        switch (action, target.storage.shape, target.element) {
        case (_, .set, .index?):
            throw Self.notAllowed(
                "'\(name)' is a set, whose elements are values without positions: POST …/elements "
                    + "adds one, DELETE …/elements?value= removes one.",
                allow: "GET, HEAD, OPTIONS")
        case _ where target.inner != nil:
            path.inner = target.inner ?? []
            if action == .add { path.inner.append(Array((place.map { "\($0)" } ?? "-").utf8)) }
            // A text that is no key is no position either.
            if action == .put, let last = path.inner.last { try requireMapKey(last) }
        case (.add, .list, _): path.element = place.map { .index($0) } ?? .end
        case (.add, .set, _):
            guard place == nil else {
                throw .parameter(
                    "at", "'\(name)' is a set, which has an order of its own; leave 'at' out.")
            }
            path.element = .end
        case (.add, _, _):
            throw Self.notAllowed(
                "'\(name)' is a map, whose entries have keys: PUT …/elements/{key}.",
                allow: "GET, HEAD, PUT, DELETE, OPTIONS")
        case (_, .list, .index?), (.delete, .map, .key?): break
        case (.put, .map, .key(let key)?): try requireMapKey(key)
        case (.delete, .list, _), (.delete, .set, _):
            guard target.storage.element != .embedded else {
                throw .parameter(
                    "value",
                    "The elements of '\(name)' are embedded objects, which are not compared; remove one "
                        + "by its position: DELETE …/elements/0.")
            }
            path.element = .end
        default: throw .entryKeyMissing
        }
        return path
    }

    private static func notAllowed(_ detail: String, allow: String) -> RequestFault {
        RequestFault(
            .unsupportedOperation, "element-method-not-allowed", detail, alternatives: allow)
    }

    private func requireMapKey(_ key: [UInt8]) throws(RequestFault) {
        guard let fault = key.withUnsafeBytes({ MapKey.fault(of: $0) }) else { return }
        throw .single(.invalid, fault.code, fault.detail, parameter: address.parameterName)
    }

    /// Reads the value that is to go from `?value=`.
    private func value(
        _ path: EditPath, _ names: SchemaNames, _ scratch: RequestScratch
    ) throws(RequestFault) -> ObjectDraft {
        guard case .parameters(_, let text?) = address.element else {
            throw .parameter(
                "value", "State the value to remove as JSON: …/elements?value=7 or ?value=%22a%22.")
        }
        let json: JSONValue
        do {
            json = try scratch.parser.parse(
                text.bytes,
                depthMax: path.storage.element == .mixed ? served.limits.jsonDepthMax : 4)
        } catch {
            throw .parameter(
                "value",
                "'value' is JSON, such as value=7 or value=\"a\" (percent-encoded); at byte "
                    + "\(error.offset + 1) \(error.message).")
        }
        let reader = scratch.reader
        if let draft = reader.readElement(json, at: path, names), draft.children.isEmpty {
            return draft
        }
        throw .parameter(
            "value", reader.faults.first?.detail ?? "A link is given by its target's key here.")
    }

    // MARK: Writing

    package mutating func run(_ transaction: WriteTransaction) throws(StoreError) {
        guard let target, let edit else { return }
        let key = try transaction.require(target.object, precondition).key
        let editor = try ObjectEditor(transaction, target.rowClass, key: key, precondition)
        let outcome: ElementOutcome
        do throws(EditFailure) {
            outcome = try editor.apply(edit, origin: [])
        } catch {
            switch error {
            case .missing(let fault, _): throw .refused(RequestFault(fault, in: target))
            case .store(let error): throw error
            case .isOther, .doesNotFit, .isNull, .isTooDeep, .isNoPoint, .isOtherKey:
                // Only of values that are compared or copied, and of other properties.
                throw .refused(RequestFault(.notThere, in: target))
            }
        }
        let written = try editor.finish()
        row.removeAll()
        row.append(written.row.bytes)
        made = Made(schema: transaction.knownRows, key: key, outcome: outcome)
    }

    // MARK: The reply

    package func reply(_ writer: ReplyWriter) throws(RequestFault) -> WriteReply {
        guard let made, let target else { throw served.fault(.closing) }
        let object = ObjectIdentity(classIndex: target.rowClass.index, key: made.key)
        var reply = try writer.reply(to: object, of: made.schema, row, isCreated: false)
        reply.isCreated = made.outcome.isCreated
        // Without a tag the object may not be read any more.
        if made.outcome.isCreated, reply.etag != nil, let row = RowView(row.bytes) {
            reply.created = CreatedPath(target, row, key: made.key, position: made.outcome.position)
        }
        return reply
    }

    package mutating func end(_ scratch: RequestScratch) { body = nil }

    /// The fault of a failed write with a value as its body.
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
        if action == .delete { return RequestFault(.notThere, in: target) }
        for index in links.indices {
            links[index].path.removeFirst(min(outer, links[index].path.count))
        }
        return served.fault(.danglingLinks(links))
    }
}
