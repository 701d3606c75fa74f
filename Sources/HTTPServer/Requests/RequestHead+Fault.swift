extension RequestHead.Fault {
    /// The answer to a request with such a head.
    var fault: ServerFault {
        switch self {
        case .requestLine:
            ServerFault(
                400, .badTarget,
                "The request line must be a method, a target and a version with one blank between "
                    + "them; blanks, control characters and '#' in the target must be "
                    + "percent-encoded.")
        case .version:
            ServerFault(505, .badTarget, "The service speaks HTTP/1.1 and HTTP/1.0.")
        case .field:
            ServerFault(
                400, .badHeader,
                "A header field is malformed. Each is a name, ':' and a value on one line that ends "
                    + "with CR LF, without a blank before ':' and without control characters.")
        case .tooManyFields:
            ServerFault(
                431, .headersTooLarge,
                "The request has more than \(RequestHead.fieldCountMax) header fields.")
        case .host:
            ServerFault(
                400, .badHeader,
                "The request must have exactly one field Host, a host name with an optional port.")
        case .contentLength:
            ServerFault(
                400, .badHeader,
                "The request must have one field Content-Length at most, a number of digits alone, "
                    + "and none beside Transfer-Encoding.")
        case .transferEncoding:
            ServerFault(
                400, .badHeader,
                "The only Transfer-Encoding that the service reads is 'chunked', in HTTP/1.1.")
        case .contentType:
            ServerFault(
                400, .badHeader, "The request must have one field Content-Type at most.")
        }
    }
}
