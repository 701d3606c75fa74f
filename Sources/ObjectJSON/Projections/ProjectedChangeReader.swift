import HoldfastBytes
import HoldfastJSON
import HoldfastObjectModel
import HoldfastObjectStore
import HoldfastRows

/// Reads a merge patch in the names of a projection, or a whole object in them, and collects every fault that does not depend on
/// stored data.
package struct ProjectedChangeReader {
    /// A value in a whole object for a property that can't be written through the projection, or that another member states.
    /// It has to equal the value that the projection shows.
    package struct Shown: Sendable {
        /// The location of the value in the body, and in the shown object.
        package let pointer: JSONPointer
        package let json: [UInt8]
        /// The fault for a value that differs from the shown value.
        package let fault: RequestFault.Entry
    }

    let reader: ObjectReader
    package let names: SchemaNames
    private let form: ProjectedForm
    /// The values that the body states for read-only properties.
    package private(set) var shown: [Shown] = []

    /// The bytes of memory that a note of a stated property takes, with its place in the body: an estimate.
    private static let noteByteCount = 128

    /// Makes a reader that uses the memory of `reader` and leaves its faults unchanged.
    package init(_ reader: ObjectReader, _ names: SchemaNames, _ form: ProjectedForm = .patch) {
        reader.names = names
        self.reader = reader
        self.names = names
        self.form = form
    }

    /// Reads a body into `change`.
    ///
    /// - `id`: The object's key, which `$id` has to equal; nil for an embedded object, and for an object that only the body
    ///   names.
    /// - Returns: The stated `$version`, and the key of an object that may be made.
    /// - Throws: ``RequestFault`` with every fault.
    package mutating func read(
        _ json: JSONValue, _ projection: CompiledProjection, into change: ProjectedChange,
        id: Value?
    ) throws(RequestFault) -> (version: StoreVersion?, key: Value?) {
        var version: StoreVersion?
        var key = id
        var own = self
        let found = reader.collecting(embeddingDepth: 0) { _ in
            let special = own.readMembers(json, projection, into: change, id: id)
            version = special.version
            if form == .patch { return own.requireID(special.id, of: change, id) }
            key = change.takeKey(id, special.id, reader)
            if form == .new, special.id != nil, change.rowClass.primaryKeyIndex == nil {
                reader.refuseID(element: nil)
            }
        }
        self = own
        if reader.isGivenUp { throw reader.fault() }
        guard found.faults.isEmpty else {
            throw .object(FaultList(found.faults), hasRepeatedName: found.hasRepeatedName)
        }
        return (version, key)
    }

    /// Requires that the `$id` of a patch is the key that the request names.
    private func requireID(_ stated: JSONValue?, of change: ProjectedChange, _ id: Value?) {
        guard let stated, KeyText.value(stated, of: change.rowClass) != id else { return }
        reader.fault(
            "key-mismatch", "\"$id\" is not the one that the request names; leave it out.",
            at: "$id")
    }

    /// Reads the members of a body, and returns its `$id` and its `$version`.
    private mutating func readMembers(
        _ json: JSONValue, _ projection: CompiledProjection, into change: ProjectedChange,
        id: Value?
    ) -> (id: JSONValue?, version: StoreVersion?) {
        var special: (id: JSONValue?, version: StoreVersion?) = (nil, nil)
        if json.kind == .object {
            var specials: Set<ExactText> = []
            let reader = reader
            let isNamed = id != nil || form != .patch
            readMembers(json, projection, into: change, resets: form.isWhole) { json in
                guard isNamed, json.isNamed("$id") || json.isNamed("$version") else { return false }
                if !specials.insert(ObjectReader.text(json.name)) {
                    reader.repeated(json.name)
                } else if json.isNamed("$version") {
                    special.version = reader.version(json.value, json.name)
                } else {
                    special.id = json.value
                }
                return true
            }
        } else {
            let properties = form.isWhole ? "" : " that change"
            reader.fault(
                "wrong-type",
                "Expected an object with the properties of '\(projection.definition.name)'\(properties), "
                    + "found \(ObjectReader.describe(json)).")
        }
        return special
    }

    /// - `resets`: Whether omitted properties get their defaults. False for the properties of another object.
    private mutating func readMembers(
        _ json: JSONValue, _ projection: CompiledProjection, into change: ProjectedChange,
        resets: Bool, special: ((JSONMember) -> Bool)? = nil
    ) {
        var seen: Set<Int> = []
        var next = 0
        var omitted: JSONValue?
        var stated: [(member: JSONMember, position: Int)] = []
        for member in json.members {
            if member.isNamed("$omitted") {
                if omitted != nil { reader.repeated(member.name) }
                omitted = member.value
                continue
            }
            guard let position = projection.names.position(of: member.name, next: next) else {
                if special == nil, form.isWhole, member.isNamed("$id") {
                    noteShown(
                        member.value, member.name, "key-mismatch",
                        "\"$id\" is not the object's; leave it out.")
                } else if !(special?(member) ?? false) {
                    refuse(
                        projection.unknownProperty(ObjectReader.text(member.name)), at: member.name)
                }
                continue
            }
            next = position + 1
            guard seen.insert(position).inserted else {
                reader.repeated(member.name)
                continue
            }
            stated.append((member, position))
        }
        if form.isWhole {
            // A link is the statement, and not a value behind it, wherever they stand.
            func rank(_ position: Int) -> Int {
                let property = projection.properties[position]
                return 2 * property.steps.count + (property.projection == nil ? 0 : 1)
            }
            let order = stated.indices.sorted {
                (rank(stated[$0].position), $0) < (rank(stated[$1].position), $1)
            }
            stated = order.map { stated[$0] }
        }
        for (member, position) in stated {
            read(
                member.value, member.name, projection.properties[position], into: change,
                resets: resets)
        }
        var left = Set(projection.properties.indices).subtracting(seen)
        if let omitted {
            // These properties stay as they are.
            reader.forEachOmitted(
                omitted, of: "Projection '\(projection.definition.name)'", projection.names,
                hints: projection.properties.map(\.name)
            ) { position, name in
                left.remove(position)
                return seen.contains(position) ? ObjectReader.omittedAndStated(name) : nil
            }
        }
        guard resets else { return }
        // Properties that contain others go first: then nothing of them is left to get a default.
        let properties = left.sorted().map { projection.properties[$0] }
        for property in properties where property.steps.count == 1 { reset(property, of: change) }
        for property in properties where property.steps.count > 1 { reset(property, of: change) }
    }

    /// Sets an omitted property to its default, if it belongs to the object itself and can be written.
    private func reset(_ property: CompiledProjection.Property, of change: ProjectedChange) {
        guard property.calculation == nil, let last = property.steps.last else { return }
        var change = change
        for step in property.steps.dropLast() {
            let compiled = change.rowClass.members[step.member]
            guard compiled.isEmbedded, compiled.storage.shape == .single,
                change.draft.fields[step.member].state != .defaulted,
                let inner = change.descend(
                    step.member, to: names.schema.classes[compiled.classIndex],
                    at: reader.pointer(at: nil), makesObject: false, isDemanded: false, reader)
            else { return }
            change = inner
        }
        let shape = change.rowClass.members[last.member].storage.shape
        guard shape == .single || shape != .none && property.projection == nil else { return }
        change.reset(last.member)
    }

    private mutating func read(
        _ json: JSONValue, _ name: UnsafeRawBufferPointer, _ property: CompiledProjection.Property,
        into change: ProjectedChange, resets: Bool
    ) {
        if let refusal = names.calculated(property) { return refuseWriting(refusal, json, name) }
        let pointer = reader.pointer(at: name)
        let isNothing = form.isWhole && json.isNull
        var change = change
        var resets = resets
        for step in property.steps.dropLast() {
            let compiled = change.rowClass.members[step.member]
            guard compiled.storage.shape == .single else {
                return refuseCollection(name, json, change.rowClass, step.member)
            }
            let target = names.schema.classes[compiled.classIndex]
            guard
                let inner = change.descend(
                    step.member, to: target, at: pointer,
                    makesObject: form != .patch && !json.isNull, isDemanded: !isNothing, reader)
            else { return conflict(name, json, change, step.member) }
            if !compiled.isEmbedded { resets = false }
            change = inner
        }
        guard let last = property.steps.last else { return }
        let compiled = change.rowClass.members[last.member]
        if let inner = property.projection {
            guard compiled.storage.shape == .single else {
                return refuseCollection(name, json, change.rowClass, last.member)
            }
            // A link may also be written as a key, and null takes either away.
            if json.kind == .object, compiled.isEmbedded || !json.namesObject {
                guard
                    let below = change.descend(
                        last.member, to: inner.rowClass, at: pointer,
                        makesObject: compiled.isEmbedded, reader)
                else { return conflict(name, json, change, last.member) }
                reader.path.append(.name(name))
                defer { reader.path.removeLast() }
                return readMembers(json, inner, into: below, resets: resets && compiled.isEmbedded)
            }
        }
        if form.isWhole, compiled.storage.shape == .none {
            return noteShown(
                json, name, "inverse-link-read-only",
                "'\(ObjectReader.text(name))' shows the objects that link to this one; change their links."
            )
        }
        if isNothing, property.steps.count > 1,
            !(compiled.isOptional && compiled.storage.shape == .single)
        {
            // Null is shown if a link on the path is null.
            return noteShown(
                json, name, "null-not-allowed",
                "'\(ObjectReader.text(name))' is not optional, so it can't be null.")
        }
        reader.takeMemory(Self.noteByteCount)
        guard change.write(last.member, at: pointer) else {
            return conflict(name, json, change, last.member)
        }
        let isMerge = change.draft.isMerge
        if form.isWhole { change.draft.isMerge = false }
        reader.read(json, name, last.member, into: change.draft)
        change.draft.isMerge = isMerge
    }

    // MARK: Read-only properties

    private mutating func refuseCollection(
        _ name: UnsafeRawBufferPointer, _ json: JSONValue, _ rowClass: RowClass, _ member: Int
    ) {
        refuseWriting(
            CompiledProjection.readOnly(ObjectReader.text(name), rowClass, member), json, name)
    }

    private mutating func refuseWriting(
        _ refusal: PatchRefusal, _ json: JSONValue, _ name: UnsafeRawBufferPointer
    ) {
        if form.isWhole { return noteShown(json, name, refusal.code, refusal.detail) }
        refuse(refusal, at: name)
    }

    private mutating func noteShown(
        _ json: JSONValue, _ name: UnsafeRawBufferPointer, _ code: String, _ detail: String
    ) {
        let pointer = reader.pointer(at: name)
        let buffer = ByteBuffer(capacity: 64)
        JSONWriter(buffer).copy(json)
        // The fault says more than the note.
        reader.takeMemory(4 * Self.noteByteCount + buffer.count)
        shown.append(
            Shown(
                pointer: pointer, json: buffer.array,
                fault: RequestFault.Entry(
                    code: code, detail: detail, pointer: pointer.description)))
    }

    // MARK: Faults

    private func refuse(_ refusal: PatchRefusal, at name: UnsafeRawBufferPointer) {
        reader.fault(refusal.code, refusal.detail, at: name, hint: refusal.hint)
    }

    /// Another member states the property. In a whole object, this one may be stated as it is shown.
    private mutating func conflict(
        _ name: UnsafeRawBufferPointer, _ json: JSONValue, _ change: ProjectedChange, _ member: Int
    ) {
        let property = change.rowClass.definition.properties[member].name
        let other = change.written[member] ?? change.children.first { $0.member == member }?.pointer
        let detail =
            "'\(ObjectReader.text(name))' and '\(other?.description ?? "")' both change '\(property)' of "
            + "the same '\(change.rowClass.definition.name)'; state one of them."
        refuseWriting(PatchRefusal(code: "conflicting-properties", detail: detail), json, name)
    }
}
