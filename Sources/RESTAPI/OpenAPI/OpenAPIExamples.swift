import HoldfastJSON
import HoldfastObjectJSON
import HoldfastObjectModel

/// Writes example objects, made up from the types of their properties: no stored value gets into the document.
struct OpenAPIExamples {
    let schemas: OpenAPISchemas
    /// Embedded objects are shown until an example has so many values; a class may hold a thousand of
    /// another, which holds a thousand itself.
    private static let valueCountMax = 100

    /// The progress of an example's writer.
    private struct Progress {
        /// The embedded classes around the present object, since such a class may hold itself.
        var owners: [String] = []
        var valueCount = 0
    }

    /// Adds the examples of a class: a whole object, a page of one, and a change.
    func write(_ entry: OpenAPIClass, to examples: inout JSONObjectWriter) {
        examples.member(named: entry.object).object { example in
            example.member("summary").string("An object")
            var progress = Progress()
            writeObject(entry, &progress, to: example.member("value"))
        }
        examples.member(named: entry.page).object { example in
            example.member("summary").string("A page of one object")
            example.member("value").object { page in
                page.member("objects").array {
                    var progress = Progress()
                    writeObject(entry, &progress, to: $0.element())
                }
                if entry.isAsymmetric { page.member("through").string("1.0k3x9a1b-1") }
            }
        }
        if entry.isAsymmetric { return }
        examples.member(named: entry.patch).object { example in
            example.member("summary").string("One property is changed")
            example.member("value").object { value in
                let changed = entry.definition.properties.first {
                    $0.isStored && $0.name != entry.definition.primaryKey
                }
                guard let changed else { return }
                write(changed, to: value.member(named: changed.name))
            }
        }
    }

    func write(_ property: Property, to writer: JSONWriter) {
        var progress = Progress()
        write(property, &progress, to: writer)
    }

    func writeKey(of entry: OpenAPIClass, to writer: JSONWriter) {
        schemas.writeExample(of: entry.keyType, to: writer)
    }

    private func writeObject(
        _ entry: OpenAPIClass, _ progress: inout Progress, to writer: JSONWriter
    ) {
        writer.object { object in
            for property in entry.definition.properties where property.isStored {
                write(property, &progress, to: object.member(named: property.name))
            }
        }
    }

    private func write(_ property: Property, _ progress: inout Progress, to writer: JSONWriter) {
        progress.valueCount += 1
        switch property.type {
        case .single(let element):
            if case .constant? = property.defaultValue, let value = property.defaultValue {
                SchemaWriter(writer).write(value, of: property)
            } else if let first = property.cases?.first {
                SchemaWriter(writer).write(first)
            } else if endsHere(element, progress) {
                writer.null()
            } else {
                write(element, &progress, to: writer)
            }
        case .list(let element), .set(let element):
            writer.array { array in
                if let first = property.cases?.first {
                    SchemaWriter(array.element()).write(first)
                } else if !endsHere(element, progress) {
                    write(element, &progress, to: array.element())
                }
            }
        case .map(let element):
            writer.object { object in
                if let first = property.cases?.first {
                    SchemaWriter(object.member("key")).write(first)
                } else if !endsHere(element, progress) {
                    write(element, &progress, to: object.member("key"))
                }
            }
        case .linkingObjects: writer.raw("[]")
        }
    }

    /// Whether the element is an embedded object that would lead too far.
    private func endsHere(_ element: ElementType, _ progress: Progress) -> Bool {
        guard case .object(let name) = element, schemas.classes[name]?.definition.kind == .embedded
        else { return false }
        return progress.owners.contains(name) || progress.valueCount > Self.valueCountMax
    }

    private func write(_ element: ElementType, _ progress: inout Progress, to writer: JSONWriter) {
        switch element {
        case .scalar(let scalar): schemas.writeExample(of: scalar, to: writer)
        case .object(let name):
            guard let target = schemas.classes[name] else { return writer.null() }
            switch target.definition.kind {
            case .object, .asymmetric: writeKey(of: target, to: writer)
            case .embedded:
                progress.owners.append(name)
                writeObject(target, &progress, to: writer)
                progress.owners.removeLast()
            }
        }
    }
}

extension OpenAPIExamples {
    /// Adds the examples of a projection: an object, a page of one, and a change.
    func write(_ shown: OpenAPIProjection, to examples: inout JSONObjectWriter) {
        examples.member(named: shown.entry.object).object { example in
            example.member("summary").string("A projected object")
            write(shown, to: example.member("value"))
        }
        examples.member(named: shown.entry.page).object { example in
            example.member("summary").string("A page of one object")
            example.member("value").object { page in
                page.member("objects").array { write(shown, to: $0.element()) }
            }
        }
        examples.member(named: shown.entry.patch).object { example in
            example.member("summary").string("One property is changed")
            example.member("value").object { value in
                let changed = shown.properties.first {
                    $0.isWritable && $0.definition.projection == nil
                        && $0.definition.path != [shown.entry.definition.primaryKey ?? ""]
                }
                guard let changed else { return }
                write(changed.value.property, to: value.member(named: changed.definition.name))
            }
        }
    }

    /// Writes an object as a projection shows it, without the objects that other projections show in it.
    private func write(_ shown: OpenAPIProjection, to writer: JSONWriter) {
        writer.object { object in
            for property in shown.properties where property.definition.projection == nil {
                let member = object.member(named: property.definition.name)
                guard property.value.isMapped else {
                    write(property.value.property, to: member)
                    continue
                }
                if property.value.isMap {
                    member.object { write(property.value.property, to: $0.member("key")) }
                } else {
                    member.array { write(property.value.property, to: $0.element()) }
                }
            }
        }
    }
}
