import HoldfastJSON
import HoldfastObjectModel

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

    /// Writes an object as a projection shows it, without what other projections show in it.
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
