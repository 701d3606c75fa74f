import HoldfastJSON
import HoldfastObjectModel
import HoldfastObjectStore
import HoldfastRows

/// Reads a merge patch in the names of a projection and collects every fault that does not depend on what
/// is stored.
package struct ProjectedChangeReader {
    let reader: ObjectReader
    package let names: SchemaNames

    /// Makes a reader that uses the memory of `reader`, whose faults stay as they are.
    package init(_ reader: ObjectReader, _ names: SchemaNames) {
        reader.names = names
        self.reader = reader
        self.names = names
    }

    /// Reads the body of a patch into `change`.
    ///
    /// - `id`: The object's key, with which `$id` has to agree; nil for an embedded object.
    /// - Returns: The `$version` that is stated.
    /// - Throws: ``RequestFault`` with every fault.
    package func read(
        _ json: JSONValue, _ projection: CompiledProjection, into change: ProjectedChange,
        id: Value?
    ) throws(RequestFault) -> StoreVersion? {
        var version: StoreVersion?
        let found = reader.collecting(embeddingDepth: 0) { _ in
            version = readMembers(json, projection, into: change, id: id)
        }
        guard found.faults.isEmpty else {
            throw .object(FaultList(found.faults), hasRepeatedName: found.hasRepeatedName)
        }
        return version
    }

    /// Reads the members of a body, and returns its `$version`.
    private func readMembers(
        _ json: JSONValue, _ projection: CompiledProjection, into change: ProjectedChange,
        id: Value?
    ) -> StoreVersion? {
        var version: StoreVersion?
        if json.kind == .object {
            var specials: Set<ExactText> = []
            readMembers(json, projection, into: change) { json in
                guard let id, json.isNamed("$id") || json.isNamed("$version") else { return false }
                if !specials.insert(ObjectReader.text(json.name)) {
                    reader.repeated(json.name)
                } else if json.isNamed("$version") {
                    version = reader.version(json.value, json.name)
                } else if KeyText.value(json.value, of: change.rowClass) != id {
                    reader.fault(
                        "key-mismatch",
                        "\"$id\" is not the one that the request names; leave it out.",
                        at: json.name)
                }
                return true
            }
        } else {
            reader.fault(
                "wrong-type",
                "Expected an object with the properties of '\(projection.definition.name)' that change, "
                    + "found \(ObjectReader.describe(json)).")
        }
        return version
    }

    private func readMembers(
        _ json: JSONValue, _ projection: CompiledProjection, into change: ProjectedChange,
        special: (JSONMember) -> Bool
    ) {
        var seen: Set<Int> = []
        var next = 0
        var omitted: JSONValue?
        for member in json.members {
            if member.isNamed("$omitted") {
                if omitted != nil { reader.repeated(member.name) }
                omitted = member.value
                continue
            }
            guard let position = projection.names.position(of: member.name, next: next) else {
                if !special(member) {
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
            read(member.value, member.name, projection.properties[position], into: change)
        }
        guard let omitted else { return }
        // A patch leaves what it does not state as it is, so that nothing has to be done for these properties.
        reader.forEachOmitted(
            omitted, of: "Projection '\(projection.definition.name)'", projection.names,
            hints: projection.properties.map(\.name)
        ) { position, name in
            seen.contains(position) ? ObjectReader.omittedAndStated(name) : nil
        }
    }

    private func read(
        _ json: JSONValue, _ name: UnsafeRawBufferPointer, _ property: CompiledProjection.Property,
        into change: ProjectedChange
    ) {
        if let refusal = names.calculated(property) { return refuse(refusal, at: name) }
        func refuseCollection(_ rowClass: RowClass, _ member: Int) {
            refuse(CompiledProjection.readOnly(ObjectReader.text(name), rowClass, member), at: name)
        }
        let pointer = reader.pointer(at: name)
        var change = change
        for step in property.steps.dropLast() {
            let compiled = change.rowClass.members[step.member]
            guard compiled.storage.shape == .single else {
                return refuseCollection(change.rowClass, step.member)
            }
            let target = names.schema.classes[compiled.classIndex]
            guard
                let inner = change.descend(
                    step.member, to: target, at: pointer, makesObject: false)
            else { return conflict(name, change, step.member) }
            change = inner
        }
        guard let last = property.steps.last else { return }
        if let inner = property.projection {
            let storage = change.rowClass.members[last.member].storage
            guard storage.shape == .single else {
                return refuseCollection(change.rowClass, last.member)
            }
            let isEmbedded = storage.element == .embedded
            // A link may also be written as a key, and null takes either away.
            if json.kind == .object, isEmbedded || !json.namesObject {
                guard
                    let below = change.descend(
                        last.member, to: inner.rowClass, at: pointer, makesObject: isEmbedded)
                else { return conflict(name, change, last.member) }
                reader.path.append(.name(name))
                defer { reader.path.removeLast() }
                return readMembers(json, inner, into: below) { _ in false }
            }
        }
        guard change.write(last.member, at: pointer) else {
            return conflict(name, change, last.member)
        }
        reader.read(json, name, last.member, into: change.draft)
    }

    // MARK: Faults

    private func refuse(_ refusal: PatchRefusal, at name: UnsafeRawBufferPointer) {
        reader.fault(refusal.code, refusal.detail, at: name, hint: refusal.hint)
    }

    private func conflict(
        _ name: UnsafeRawBufferPointer, _ change: ProjectedChange, _ member: Int
    ) {
        let property = change.rowClass.definition.properties[member].name
        let other = change.written[member] ?? change.children.first { $0.member == member }?.pointer
        reader.fault(
            "conflicting-properties",
            "'\(ObjectReader.text(name))' and '\(other?.description ?? "")' both change '\(property)' of "
                + "the same '\(change.rowClass.definition.name)'; state one of them.", at: name)
    }
}
