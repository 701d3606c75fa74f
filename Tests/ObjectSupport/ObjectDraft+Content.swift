import HoldfastBytes
import HoldfastObjectModel
import HoldfastRows

extension ObjectDraft {
    /// Makes a draft that states `content`.
    ///
    /// What it states has to fit the class; anything else traps, since it is the test's fault.
    package convenience init(
        _ content: ObjectContent, _ rowClass: RowClass, _ schema: RowSchema, isMerge: Bool = false
    ) {
        self.init(rowClass, isMerge: isMerge)
        // References and children stand in the order of the class, so that a run can be repeated.
        for (member, property) in rowClass.definition.properties.enumerated() {
            if let stated = content[property.name] { state(member, stated, schema) }
        }
        for name in content.keys where rowClass.names.position(of: name) == nil {
            preconditionFailure("'\(rowClass.definition.name)' has no property '\(name)'")
        }
    }

    private func state(_ member: Int, _ content: Content, _ schema: RowSchema) {
        let compiled = rowClass.members[member]
        if compiled.storage.element == .mixed { return stateMixed(member, content, schema) }
        switch content {
        case .value(.link), .nested:
            addLink(member, nil, content, schema)
            setReference(member)
        case .value(let value):
            if value == .null,
                compiled.storage.element == .link || compiled.storage.element == .embedded
            {
                return setNull(member)
            }
            precondition(set(member, value: value), "\(value) does not fit property \(member)")
        case .values(let values):
            if compiled.storage.element == .link {
                return state(member, .nestedList(values.map { .value($0) }), schema)
            }
            let builder = ScalarCollectionBuilder()
            builder.reset(compiled.storage.element)
            for value in values { builder.append(value: value) }
            set(member, collection: builder)
        case .nestedList(let links):
            let first = references.count
            for (element, link) in links.enumerated() { addLink(member, element, link, schema) }
            setReferences(member, from: first)
        case .embedded(let inner):
            set(
                member,
                child: ObjectDraft(
                    inner, schema.classes[compiled.classIndex], schema, isMerge: isMerge))
        case .embeddedList(let list):
            set(
                member,
                children: list.map {
                    ObjectDraft($0, schema.classes[compiled.classIndex], schema)
                })
        case .entries(let entries): state(member, entries, schema)
        case .generated, .removed: preconditionFailure("not a property's value")
        }
    }

    private func state(_ member: Int, _ entries: [String: Content], _ schema: RowSchema) {
        let start = self.entries.count
        let compiled = rowClass.members[member]
        let builder = ScalarCollectionBuilder()
        for (var key, content) in entries.inDraftOrder {
            key.withUTF8 { key in
                let key = UnsafeRawBufferPointer(key)
                switch content {
                case .removed: addEntry(key, .removed)
                case .value(.null): addEntry(key, .null)
                case .value(.link), .nested:
                    addLink(member, nil, content, schema)
                    addEntry(key, .reference(references.count - 1))
                case .value(let value):
                    builder.reset(compiled.storage.element)
                    builder.append(value: value)
                    if let last = builder.last { addEntry(key, bytes: last) }
                case .embedded(let inner):
                    let child = ObjectDraft(
                        inner, schema.classes[compiled.classIndex], schema, isMerge: isMerge)
                    addEntry(key, .child(addChild(child)))
                default: preconditionFailure("not an entry's value")
                }
            }
        }
        setEntries(member, from: start)
    }

    private func addLink(_ member: Int, _ element: Int?, _ content: Content, _ schema: RowSchema) {
        let target = schema.classes[rowClass.members[member].classIndex]
        switch content {
        case .nested(let inner):
            addReference(
                member, element: element, child: ObjectDraft(inner, target, schema, isMerge: true))
        case .value(.link(_, let key)):
            if target.primaryKeyIndex == nil, case .int(let number) = key {
                addReference(member, element: element, objectKey: UInt64(bitPattern: number))
            } else {
                addReference(member, element: element) { OrderedKey.append(key, to: $0) }
            }
        default: preconditionFailure("not a link")
        }
    }
}
