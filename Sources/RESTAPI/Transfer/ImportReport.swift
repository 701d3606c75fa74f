import JSON
import ObjectJSON
import ObjectStore

/// What became of an import.
package struct ImportReport: Sendable {
    /// A fault of one line.
    package struct LineFault: Sendable {
        /// The line, from 1.
        package var line: Int
        /// What is wrong with it.
        package var fault: RequestFault.Entry
    }

    /// How many lines were taken, those that changed nothing included.
    package internal(set) var importedCount = 0
    /// How many lines were not.
    package internal(set) var failedCount = 0
    /// The faults of the first of these, by line.
    package internal(set) var faults: [LineFault] = []
    /// The store's version after the import.
    package internal(set) var version: StoreVersion

    /// Adds a line that was not taken, with its faults.
    mutating func fail(_ line: Int, _ found: [RequestFault.Entry], limit: Int) {
        failedCount += 1
        for fault in found where faults.count < limit {
            faults.append(LineFault(line: line, fault: fault))
        }
    }

    /// Writes `{"imported","failed","errors","version"}`.
    package func write(to writer: JSONWriter) {
        writer.object { object in
            object.member("imported").int(Int64(importedCount))
            object.member("failed").int(Int64(failedCount))
            object.member("errors").array { array in
                for entry in faults {
                    array.element().object { object in
                        object.member("line").int(Int64(entry.line))
                        object.member("code").string(entry.fault.code)
                        object.member("detail").string(entry.fault.detail)
                        if let pointer = entry.fault.pointer {
                            object.member("pointer").string(pointer)
                        }
                        if let column = entry.fault.column {
                            object.member("column").int(Int64(column))
                        }
                        if let hint = entry.fault.hint { object.member("hint").string(hint) }
                    }
                }
            }
            object.member("version").string(version.description)
        }
    }
}
