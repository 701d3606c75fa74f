import Bytes
import HTTPServer
import JSON
import ObjectJSON
import ObjectModel
import ObjectStore
import Rows
import StoreService

/// What a request does with an element.
enum ElementAction: Sendable {
    case add, put, delete
}

/// A change of one element, ready for the writer.
private struct PreparedEdit {
    var target: ElementTarget
    var change: Change
}

/// What is to change, and what it becomes.
private enum Change {
    /// An element of the collection.
    case element(ElementEdit, ObjectDraft)
    /// Something inside a `mixed` value.
    case inside(MixedEdit, ObjectDraft?)
}

/// What the writer did.
private struct EditedElement: Sendable {
    /// The object as it is now.
    var object: StoredObject
    /// Whether an element or entry came.
    var isCreated: Bool
    /// Where the element stands now.
    var path: [UInt8]?
}

extension RESTService {
    /// Takes in a change of one element: `addElement`, `putElement`, `deleteElement` and the same by key.
    func editElement(
        _ request: Request, _ action: ElementAction, _ source: ElementSource
    ) -> Outcome {
        reading(request) { () throws(RequestFault) in
            let known: [StaticString] =
                switch (action, source) {
                case (.add, _): ["at"]
                case (.put, .parameter): ["key"]
                case (.delete, .parameter): ["key", "value"]
                default: []
                }
            let parameters = try Parameters(request, known: known)
            if action != .delete { _ = try BodyType.read(request) }
            try request.requireAccepted("application/json")
            let precondition = try Precondition(request)
            let preferences = try Preferences(request)
            let place = try parameters.count("at")
            return try self.once(request) { claim throws(RequestFault) in
                let prepared = try PreparedRequest<PreparedEdit>(self.served) {
                    names, scratch throws(RequestFault) in
                    let target = try self.elementTarget(
                        request, source, isInside: action == .add, names, scratch)
                    if let steps = target.inner {
                        return try self.prepare(
                            action, inside: steps, target, at: place, request, names, scratch)
                    }
                    return try self.prepare(action, target, at: place, request, names, scratch)
                }
                let write = RequestedWrite<EditedElement>(
                    run: { transaction throws(StoreError) in
                        try Self.edit(prepared, precondition, transaction)
                    },
                    reply: { edited, version, view throws(RequestFault) in
                        try self.reply(to: edited, version, preferences, in: view)
                    },
                    problem: { self.problem($0, ofElement: action, prepared.last.target) },
                    isLong: { _ in false })
                return .later { self.handIn(write, $0, claim) }
            }
        }
    }

    // MARK: Reading the request

    private func prepare(
        _ action: ElementAction, _ target: ElementTarget, at place: Int?, _ request: Request,
        _ names: SchemaNames, _ scratch: RequestScratch
    ) throws(RequestFault) -> PreparedEdit {
        let edit = try Self.edit(action, target, at: place)
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
            try Self.requireMapKey(key)
            let json = try self.served.json(request.body, scratch.parser)
            draft = key.withUnsafeBytes {
                reader.readEntry(json, under: $0, target.member, of: target.rowClass, names)
            }
        case (.removeEqual, _):
            return PreparedEdit(
                target: target,
                change: .element(edit, try value(target, request, names, scratch)))
        default:
            draft = reader.readElement(
                try self.served.json(request.body, scratch.parser), target.member,
                of: target.rowClass, names)
        }
        guard let draft else { throw reader.problem() }
        return PreparedEdit(target: target, change: .element(edit, draft))
    }

    private func prepare(
        _ action: ElementAction, inside steps: [[UInt8]], _ target: ElementTarget, at place: Int?,
        _ request: Request, _ names: SchemaNames, _ scratch: RequestScratch
    ) throws(RequestFault) -> PreparedEdit {
        if target.storage.shape == .set { throw Self.setElement(target.property.name) }
        let edit: MixedEdit
        switch action {
        case .delete:
            return PreparedEdit(target: target, change: .inside(MixedEdit(steps, .remove), nil))
        case .add: edit = MixedEdit(steps, .insert(at: place))
        case .put:
            // What is no key is no position either.
            if let last = steps.last { try Self.requireMapKey(last) }
            edit = MixedEdit(steps, .put)
        }
        let reader = scratch.reader
        reader.reset()
        let json = try served.json(request.body, scratch.parser)
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
        guard let draft else { throw reader.problem() }
        return PreparedEdit(target: target, change: .inside(edit, draft))
    }

    /// What the store is to do.
    ///
    /// - Throws: ``RequestFault`` `.unsupportedOperation` for what the collection can't do.
    private static func edit(
        _ action: ElementAction, _ target: ElementTarget, at place: Int?
    ) throws(RequestFault) -> ElementEdit {
        let name = target.property.name
        switch (action, target.storage.shape, target.address) {
        case (.add, .list, _): return .insert(at: place)
        case (.add, .set, _):
            if place == nil { return .add }
            throw .parameter(
                "at", "'\(name)' is a set, which has an order of its own; leave 'at' out.")
        case (.add, _, _):
            throw notAllowed(
                "'\(name)' is a map, whose entries have keys: PUT …/elements/{key}.",
                allow: "GET, HEAD, PUT, DELETE, OPTIONS")
        case (.put, .list, .position(let position)): return .replace(at: position)
        case (.put, .map, .key): return .put
        case (.delete, .list, .position(let position)): return .remove(at: position)
        case (.delete, .map, .key): return .removeEntry
        case (_, .set, .position):
            throw setElement(name)
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

    private static func requireMapKey(_ key: [UInt8]) throws(RequestFault) {
        guard let fault = key.withUnsafeBytes({ MapKey.fault(of: $0) }) else { return }
        let detail = fault.detail
        throw RequestFault(
            .invalid, fault.code, detail,
            errors: [RequestFault.Entry(code: fault.code, detail: detail, parameter: "element")])
    }

    /// Reads the value that is to go from `?value=`.
    private func value(
        _ target: ElementTarget, _ request: Request, _ names: SchemaNames,
        _ scratch: RequestScratch
    ) throws(RequestFault) -> ObjectDraft {
        guard let text = Self.parameter("value", of: request) else {
            throw .parameter(
                "value",
                "Say which value is to go, as JSON: …/elements?value=7 or ?value=%22a%22.")
        }
        let json: JSONValue
        do {
            json = try scratch.parser.parse(
                text, depthMax: target.storage.element == .mixed ? served.limits.jsonDepthMax : 4)
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

    private static func edit(
        _ prepared: PreparedRequest<PreparedEdit>, _ precondition: Precondition,
        _ transaction: WriteTransaction
    ) throws(StoreError) -> Attempted<EditedElement> {
        let plan: PreparedEdit
        do throws(RequestFault) {
            plan = try prepared.plan(for: transaction)
        } catch {
            return .refused(error)
        }
        let rowClass = plan.target.rowClass
        guard let key = try transaction.find(plan.target.object) else {
            try transaction.check(precondition, rowClass, key: nil, nil)
            throw .objectNotFound
        }
        let result: ElementResult
        switch plan.change {
        case .element(let edit, let draft):
            result = try transaction.edit(
                edit, plan.target.member, of: rowClass, key: key, draft, precondition: precondition)
        case .inside(let edit, let draft):
            let attempt = try transaction.edit(
                inside: edit, of: plan.target.place, plan.target.member, of: rowClass, key: key,
                draft, precondition: precondition)
            switch attempt {
            case .success(let made): result = made
            case .failure(let fault): return .refused(RequestFault(fault, in: plan.target))
            }
        }
        let row = result.written.row
        var path: [UInt8]?
        if result.isCreated {
            let buffer = ByteBuffer(capacity: 128)
            if ObjectPath.append(
                plan.target, row, key: key, position: result.position, to: buffer)
            {
                path = buffer.array
            }
        }
        return .made(
            EditedElement(
                object: StoredObject(
                    schema: transaction.catalog.rows, classIndex: rowClass.index, key: key, row: row
                ), isCreated: result.isCreated, path: path))
    }

    private func reply(
        to edited: EditedElement, _ version: StoreVersion, _ preferences: Preferences,
        in view: ReadTransaction?
    ) throws(RequestFault) -> Response {
        let row = ByteBuffer(capacity: edited.object.bytes.count)
        row.append(edited.object.bytes)
        let written = ObjectWrite.OneWritten(
            schema: edited.object.schema, classIndex: edited.object.classIndex,
            key: edited.object.key, isCreated: false)
        var response = try reply(to: written, row, version, preferences, in: view)
        if edited.isCreated {
            response.status = 201
            // As with objects: nobody could ask for a longer one.
            if let path = edited.path, path.count <= options.targetByteCountMax {
                path.withUnsafeBufferPointer { response.headers.add(.location, $0) }
            }
        }
        return response
    }

    /// The problem of a failed write, whose body is the bare value.
    private func problem(
        _ error: StoreError, ofElement action: ElementAction, _ target: ElementTarget
    ) -> RequestFault {
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
