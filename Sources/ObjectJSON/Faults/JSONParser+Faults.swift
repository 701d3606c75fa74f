import HoldfastJSON

extension JSONParser {
    /// Reads the one value of a text, which is valid as long as the parser, and until it reads another.
    ///
    /// - Throws: ``RequestFault`` with line and column of what is no JSON.
    package func value(of text: UnsafeRawBufferPointer) throws(RequestFault) -> JSONValue {
        do throws(JSONError) {
            return try parse(text)
        } catch {
            throw RequestFault(error, in: text)
        }
    }

    /// Reads the one value of a text, as ``value(of:)-(UnsafeRawBufferPointer)`` does.
    package func value(of text: [UInt8]) throws(RequestFault) -> JSONValue {
        let result = text.withUnsafeBytes { bytes in
            Result<JSONValue, RequestFault> { () throws(RequestFault) in try value(of: bytes) }
        }
        return try result.get()
    }
}
