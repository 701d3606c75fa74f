import HoldfastBytes
import HoldfastJSON

extension JSONParser {
    /// Reads the one value of a text, which is valid as long as the parser, and until it reads another.
    ///
    /// - Throws: ``RequestFault`` with line and column of what is no JSON.
    package func value(of text: [UInt8]) throws(RequestFault) -> JSONValue {
        // The parser copies the text, but what it says of a fault is looked up in it.
        let source = ByteBuffer(capacity: text.count)
        source.append(text)
        do throws(JSONError) {
            return try parse(source.bytes)
        } catch {
            throw RequestFault(error, in: source.bytes)
        }
    }
}
