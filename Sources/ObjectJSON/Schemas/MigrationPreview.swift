import JSON
import ObjectStore

/// The reply to a dry run.
package enum MigrationPreview {
    /// Writes the steps of a change.
    package static func write(_ steps: [SchemaStep], to writer: JSONWriter) {
        writer.object { object in
            object.member("changes").array { array in
                for step in steps {
                    array.element().object { object in
                        object.member("op").string(step.operation.rawValue)
                        if let name = step.className { object.member("class").string(name) }
                        if let name = step.property { object.member("property").string(name) }
                        object.member("objects").int(Int64(step.objectCount))
                        object.member("lossy").bool(step.isLossy)
                    }
                }
            }
        }
    }
}
