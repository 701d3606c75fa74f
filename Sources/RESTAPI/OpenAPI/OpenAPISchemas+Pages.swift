import JSON
import ObjectModel

// Pages of lists, of sections and of streams.
extension OpenAPISchemas {
    /// Adds the page of a list.
    func writePage(_ entry: OpenAPIClass, to schemas: inout JSONObjectWriter) {
        schemas.member(named: entry.page).object { object in
            object.member("type").string("object")
            object.member("description").string("A page of objects.")
            object.member("required").raw(##"["objects"]"##)
            object.member("properties").object { properties in
                properties.member("objects").array(of: entry.object)
                Self.addPaging(to: &properties)
                properties.member("explain").schema("HoldfastExplanation")
            }
        }
    }

    /// Adds the page of sections.
    func writeSections(_ entry: OpenAPIClass, to schemas: inout JSONObjectWriter) {
        schemas.member(named: entry.sectionPage).object { object in
            object.member("type").string("object")
            object.member("description").string("A page of sections.")
            object.member("required").raw(##"["sections"]"##)
            object.member("properties").object { properties in
                properties.member("sections").object { sections in
                    sections.member("type").string("array")
                    sections.member("items").object { section in
                        section.member("type").string("object")
                        section.member("required").raw(##"["key","count","objects"]"##)
                        section.member("properties").object { parts in
                            parts.member("key").raw(
                                ##"{"description":"What the objects have in common; null too."}"##)
                            parts.member("count").raw(
                                ##"{"type":"integer","minimum":1,"description":"How many objects the section has."}"##
                            )
                            parts.member("objects").array(of: entry.object)
                        }
                    }
                }
                Self.addPaging(to: &properties)
                properties.member("explain").schema("HoldfastExplanation")
            }
        }
    }

    /// Adds the pages of a stream.
    func writeTold(_ entry: OpenAPIClass, to schemas: inout JSONObjectWriter) {
        schemas.member(named: entry.changePage).object { object in
            object.member("type").string("object")
            object.member("description").string("What happened since a cursor.")
            object.member("required").raw(##"["changes","cursor","upToDate"]"##)
            object.member("properties").object { properties in
                properties.member("changes").object { changes in
                    changes.member("type").string("array")
                    changes.member("items").object { writeTold(entry, isChange: true, to: &$0) }
                }
                properties.member("cursor").raw(##"{"type":"string"}"##)
                properties.member("upToDate").raw(##"{"type":"boolean"}"##)
            }
        }
        schemas.member(named: entry.snapshotPage).object { object in
            object.member("type").string("object")
            object.member("description").string(
                "Current matches: pages have `next` until the last one, which has a `cursor`.")
            object.member("required").raw(##"["objects"]"##)
            object.member("properties").object { properties in
                properties.member("objects").object { objects in
                    objects.member("type").string("array")
                    objects.member("items").object { writeTold(entry, isChange: false, to: &$0) }
                }
                properties.member("next").raw(##"{"type":"string"}"##)
                properties.member("cursor").raw(##"{"type":"string"}"##)
                properties.member("upToDate").raw(##"{"type":"boolean"}"##)
            }
        }
    }

    /// Adds what says where a page ends and how many there are.
    static func addPaging(to properties: inout JSONObjectWriter) {
        properties.member("next").raw(
            ##"{"type":"string","description":"The cursor of the next page."}"##)
        properties.member("count").raw(
            ##"{"type":"integer","minimum":0,"description":"How many there are, when asked for."}"##
        )
    }

    /// Writes what a page of a stream says of one object.
    private func writeTold(
        _ entry: OpenAPIClass, isChange: Bool, to object: inout JSONObjectWriter
    ) {
        object.member("type").string("object")
        object.member("required").raw(
            isChange ? ##"["op","id","version"]"## : ##"["id","etag","object"]"##)
        object.member("properties").object { properties in
            if isChange {
                properties.member("op").raw(
                    ##"{"type":"string","enum":["enter","update","leave","delete"]}"##)
                properties.member("version").schema("HoldfastVersion")
                properties.member("changed").raw(##"{"type":"array","items":{"type":"string"}}"##)
            }
            let key = properties.member("id")
            key.object {
                let isOptional = entry.primaryKey?.isOptional ?? false
                OpenAPIScalar(entry.keyType).write(isOptional: isOptional, to: &$0, key)
            }
            properties.member("etag").schema("HoldfastVersion")
            properties.member("object").schema(entry.object)
        }
    }
}
