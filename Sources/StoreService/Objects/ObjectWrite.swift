import HoldfastJSON
import HoldfastObjectJSON
import HoldfastObjectStore
import HoldfastRows

/// The write, patch or deletion of one object that the request names, or the write of one or several new ones.
/// A class, since generic code of other modules would count the references of a struct at each copy.
package final class ObjectWrite: WriteCase, @unchecked Sendable {
    // Unchecked: one thread at a time has it, see ``ServedWrite``.

    /// Which objects are written.
    package enum Subject {
        /// The named object. A merge keeps properties that the body does not state.
        case named(ObjectAddress, isMerge: Bool)
        /// The one that is named; the body is a JSON patch.
        case patched(ObjectAddress)
        /// The one that is named, which goes; there is no body.
        case deleted(ObjectAddress)
        /// Objects of the class of a name; the body is one, or an array of them.
        case new(RequestBytes, isArray: Bool)
    }

    /// One object to write.
    private struct Item {
        var draft: ObjectDraft
        /// Which object, where the class has no primary key.
        var objectKey: UInt64?
        var precondition: Precondition
    }

    /// The changes that have been made.
    private enum Made {
        case nothing
        /// The object with its row in ``ObjectWriteMemory/row``.
        case one(ObjectIdentity, isCreated: Bool)
        case deletion
        /// The objects as they are now, in the order of the items.
        case several([WrittenObject])
    }

    /// How the caller wants the reply.
    package var form = ReplyForm()
    package let caller: Caller
    private let served: ServedStore
    private let mode: WriteMode
    private let precondition: Precondition
    /// Whether the body is an array, and the reply too.
    private let isArray: Bool
    /// Nil once the request is needed no more, which then serves the connection's next one.
    private var request: (subject: Subject, body: RequestBytes)?
    private let memory = RequestScratch.current.takeWriteMemory()
    private var schema: RowSchema
    /// The only item; nil when ``items`` has several.
    private var item: Item?
    private var items: [Item] = []
    /// The object that is patched or deleted.
    private var target: ObjectTarget?
    private var patch: JSONPatch?
    /// The item that is being written: the one that failed when the write fails.
    private var position = 0
    private var made = Made.nothing

    /// Makes a write of the objects in `body`.
    package init(
        _ subject: Subject, _ body: RequestBytes, _ mode: WriteMode,
        _ precondition: Precondition, for caller: Caller, in served: ServedStore
    ) {
        self.served = served
        self.caller = caller
        self.mode = mode
        self.precondition = precondition
        if case .new(_, isArray: true) = subject { isArray = true } else { isArray = false }
        request = (subject, body)
        schema = served.store.catalog.rows
    }

    // MARK: Reading

    package func prepare(_ names: SchemaNames, _ scratch: RequestScratch) throws(RequestFault) {
        guard let (subject, body) = request else { throw served.fault(.closing) }
        schema = names.schema
        // It may have been left in the middle before.
        (item, items) = (nil, [])
        memory.drafts.takeBack(keeping: .max)
        scratch.reader.drafts = memory.drafts
        defer { scratch.reader.drafts = nil }
        switch subject {
        case .named(let address, let isMerge):
            item = try read(body, address, isMerge: isMerge, names, scratch)
        case .patched(let address):
            let target = try address.target(names, scratch)
            patch = try JSONPatch(
                served.json(body.bytes, scratch.parser), of: target.rowClass, names,
                scratch.reader, operationCountMax: served.store.options.operationCountMax)
            self.target = target
        case .deleted(let address): target = try address.target(names, scratch)
        case .new(let name, _):
            items = try read(body, ofClass: name, names, scratch)
            if !isArray, items.count == 1 { item = items.removeLast() }
        }
    }

    private func read(
        _ body: RequestBytes, _ address: ObjectAddress, isMerge: Bool, _ names: SchemaNames,
        _ scratch: RequestScratch
    ) throws(RequestFault) -> Item {
        let target = try address.target(names, scratch)
        let json = try served.json(body.bytes, scratch.parser)
        let reader = scratch.reader
        let reading = reader.read(
            json, as: target.rowClass, names: names, isMerge: isMerge, key: target.key)
        guard let reading else { throw reader.fault() }
        return Item(
            draft: reading.draft, objectKey: target.objectKey,
            precondition: precondition.with(version: reading.version))
    }

    private func read(
        _ body: RequestBytes, ofClass name: RequestBytes, _ names: SchemaNames,
        _ scratch: RequestScratch
    ) throws(RequestFault) -> [Item] {
        let rowClass = try names.creatableClass(named: name.bytes)
        try rowClass.requireCreation(mode)
        if rowClass.isAsymmetric, precondition != .none {
            throw RequestFault(
                .malformed, "invalid-header",
                "If-Match and If-None-Match apply to objects that can be read; leave them out for "
                    + "an asymmetric class.")
        }
        let json = try served.json(body.bytes, scratch.parser)
        let reader = scratch.reader
        var items: [Item] = []
        func read(_ json: JSONValue, element: Int?) {
            let reading = reader.read(
                json, as: rowClass, names: names, isMerge: mode == .merge, element: element)
            guard let reading else { return }
            if mode == .create, reading.objectKey != nil { reader.refuseID(element: element) }
            items.append(
                Item(
                    draft: reading.draft, objectKey: reading.objectKey,
                    precondition: precondition.with(version: reading.version)))
        }
        if json.kind == .array {
            for (index, element) in json.elements.enumerated() {
                guard reader.mayContinue() else { break }
                read(element, element: index)
            }
        } else {
            read(json, element: nil)
        }
        if !reader.faults.isEmpty { throw reader.fault() }
        return items
    }

    // MARK: Writing

    package func run(_ transaction: WriteTransaction) throws(StoreError) {
        made = .nothing
        if let item {
            made = try write(item, transaction)
        } else if let target {
            made = try change(target, transaction)
        } else {
            made = .several(try writeItems(transaction))
        }
    }

    private func change(
        _ target: ObjectTarget, _ transaction: WriteTransaction
    ) throws(StoreError) -> Made {
        let key = try transaction.require(target, precondition).key
        guard let patch else {
            try transaction.delete(target.rowClass, key: key, precondition: precondition)
            return .deletion
        }
        let result = try patch.apply(
            to: ObjectEditor(transaction, target.rowClass, key: key, precondition), in: served)
        memory.row.removeAll()
        memory.row.append(result.row.bytes)
        return .one(ObjectIdentity(classIndex: target.rowClass.index, key: key), isCreated: false)
    }

    private func write(_ item: Item, _ transaction: WriteTransaction) throws(StoreError) -> Made {
        let written = try transaction.write(
            item.draft, objectKey: item.objectKey, mode: mode, precondition: item.precondition)
        memory.row.removeAll()
        if item.draft.children.isEmpty {
            memory.row.append(written.row.bytes)
        } else if let row = try transaction.storedRow(item.draft.rowClass, written.key) {
            // An object contained in full may link back to this one.
            memory.row.append(row.bytes)
        }
        return .one(
            ObjectIdentity(classIndex: written.classIndex, key: written.key),
            isCreated: written.isCreated)
    }

    private func writeItems(_ transaction: WriteTransaction) throws(StoreError) -> [WrittenObject] {
        var written: [(key: UInt64, rowClass: RowClass, isCreated: Bool)] = []
        written.reserveCapacity(items.count)
        let deadline = served.queryDeadline
        for (position, item) in items.enumerated() {
            try served.checkWriteTime(deadline)
            self.position = position
            let result = try transaction.write(
                item.draft, objectKey: item.objectKey, mode: mode,
                precondition: item.precondition, source: position)
            written.append((result.key, item.draft.rowClass, result.isCreated))
            transaction.releaseShown()
        }
        var results: [WrittenObject] = []
        results.reserveCapacity(written.count)
        var copies = try ReplyCopies(transaction, for: caller, form, until: deadline, in: served)
        for (key, rowClass, isCreated) in written {
            var result = WrittenObject(isCreated: isCreated)
            // Later items may have changed it, so it is copied at the end.
            if !copies.isExhausted, let row = try transaction.storedRow(rowClass, key) {
                result.shown = try copies.copy(rowClass, key, row)
            }
            results.append(result)
        }
        if copies.isExhausted {
            for index in results.indices { results[index].shown = nil }
        }
        return results
    }

    // MARK: The reply

    package var hasLongReply: Bool {
        guard case .several(let written) = made else { return false }
        return written.count > ReplyWriter.shortObjectCountMax
    }

    package func reply(_ writer: ReplyWriter) throws(RequestFault) -> WriteReply {
        switch made {
        case .nothing: throw served.fault(.closing)
        case .deletion: return WriteReply(writer.version)
        case .several(let written): return try writer.reply(to: written)
        case .one(let object, let isCreated):
            return try writer.reply(to: object, of: schema, memory.row, isCreated: isCreated)
        }
    }

    package func end(_ scratch: RequestScratch) {
        item = nil
        items = []
        patch = nil
        request = nil
        scratch.give(memory)
    }

    /// The fault of a failed write, with the place of the object in the body's array.
    package func fault(_ error: StoreError) -> RequestFault {
        if let patch, error.pointsIntoObject { return served.fault(error).placed(by: patch) }
        let isArray = isArray
        func place(_ source: Int) -> JSONPointer {
            isArray ? JSONPointer().appending(index: source) : JSONPointer()
        }
        switch error {
        case .danglingLinks(let links): return RequestFault(dangling: links, at: place)
        case .notUnique(let violations): return RequestFault(notUnique: violations, at: place)
        case .notAllowed(let act): position = act.source
        default: break
        }
        let fault = served.fault(error)
        return isArray ? fault.placed(at: JSONPointer().appending(index: position)) : fault
    }
}

extension RequestFault {
    /// The same fault of a part of the body that stands at `place`.
    ///
    /// - `inner`: Where in the part its own places begin.
    func placed(at place: JSONPointer, inner: JSONPointer = JSONPointer()) -> RequestFault {
        guard kind.isOfRequest else { return self }
        var placed = self
        if errors.isEmpty {
            placed.errors = [
                RequestFault.Entry(code: code, detail: detail, pointer: place.description)
            ]
        }
        for index in errors.indices {
            placed.errors[index].pointer =
                place.description + inner.description + (errors[index].pointer ?? "")
        }
        return placed
    }
}
