import HoldfastJSON
import HoldfastObjectModel

extension JSONWriter {
    /// Writes a projection in the form in which it is put.
    package func projection(_ projection: Projection) {
        object { object in
            object.member("name").string(projection.name)
            object.member("class").string(projection.className)
            object.member("properties").object { properties in
                for property in projection.properties {
                    let member = properties.member(named: property.name)
                    guard let inner = property.projection else {
                        member.string(property.pathText)
                        continue
                    }
                    member.object { long in
                        long.member("path").string(property.pathText)
                        long.member("projection").string(inner)
                    }
                }
            }
        }
    }

    /// Writes projections as an array.
    package func projections(_ projections: [Projection]) {
        array(of: projections) { $1.projection($0) }
    }
}
