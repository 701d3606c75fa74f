import HoldfastBytes
import HoldfastJSON
import HoldfastObjectJSON

// A proposal as JSON.
extension ClassProposal {
    /// Writes the proposal.
    ///
    /// - `encode`: Percent-encodes a value of a query.
    package func write(to writer: JSONWriter, encoding encode: (String) -> String) {
        let schemas = SchemaWriter(writer)
        writer.object { object in
            _ = object.member("class")
            schemas.write(objectClass)
            object.member("embedded").array(of: embedded) { definition, _ in
                schemas.write(definition)
            }
            object.member("import").object { options in
                options.member("contentType").string(reading.format.mediaType)
                reading.writeParameters(to: options.member("parameters"))
                options.member("query").string(reading.query(encode))
                options.member("options").strings(reading.commandOptions)
            }
            object.member("reasons").objects(of: reasons) { reason, entry in
                entry.member("class").string(reason.className)
                if let property = reason.property { entry.member("property").string(property) }
                if let name = reason.name { entry.member("name").string(name) }
                entry.member("reason").string(reason.text)
            }
            object.member("sample").object { sample in
                sample.member("objects").int(Int64(objectCount))
                sample.member("faulty").int(Int64(faultCount))
                sample.member("whole").bool(isWhole)
            }
            object.member("notes").strings(notes)
        }
    }

    /// The proposal as text.
    ///
    /// - `encode`: As above.
    package func text(encoding encode: (String) -> String) -> String {
        let buffer = ByteBuffer()
        write(to: JSONWriter(buffer), encoding: encode)
        return String(decoding: buffer.bytes, as: UTF8.self)
    }
}
