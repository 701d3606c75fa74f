import CHoldfastMicroHTTPD
import Glibc

// The functions that libmicrohttpd calls. Each finds its object and calls a method of it.

/// Called when the request line is complete, with the raw target, before libmicrohttpd takes it apart. The return value is the
/// request's context in all later calls.
let targetReceived:
    @convention(c) (
        UnsafeMutableRawPointer?, UnsafePointer<CChar>?, OpaquePointer?
    ) -> UnsafeMutableRawPointer? = { _, target, handle in
        guard let target, let handle, let context = shim_connection_context(handle) else {
            return nil
        }
        return Unmanaged<Connection>.fromOpaque(context)._withUnsafeGuaranteedRef { connection in
            let request = connection.nextRequest()
            let bytes = UnsafeRawBufferPointer(start: target, count: strlen(target))
            guard request.begin(bytes.assumingMemoryBound(to: UInt8.self)) else { return nil }
            // The request has a copy of the target, and does not use cookies.
            shim_drop_query(target)
            shim_hide_cookies(handle)
            connection.expectHead(since: request.startedAt)
            return Unmanaged.passUnretained(request).toOpaque()
        }
    }

/// Called when the headers are complete, for each piece of the body, when the request is complete, and after each resumption.
let accessHandler: MHD_AccessHandlerCallback = {
    _, handle, _, method, version, data, count, context in
    guard let count, let method, let version, let raw = context?.pointee else { return .NO }
    // The connection keeps the request until it is over.
    return Unmanaged<Request>.fromOpaque(raw)._withUnsafeGuaranteedRef { request in
        request.connection.server.handle(
            request, method: method, version: version, data: data, count: count)
    }
}

extension Server {
    @inline(__always)
    fileprivate func handle(
        _ request: Request, method: UnsafePointer<CChar>, version: UnsafePointer<CChar>,
        data: UnsafePointer<CChar>?, count: UnsafeMutablePointer<Int>
    ) -> MHD_Result {
        let bytes = UnsafeRawBufferPointer(start: data, count: count.pointee)
        let step = request.state.withLock { $0.next(hasBytes: bytes.count > 0) }
        if case .leave = step { return .YES }
        count.pointee = 0
        switch step {
        case .begin: return begin(request, method: method, version: version)
        case .take: return receive(bytes, for: request)
        case .drop(let refusal): return drop(bytes, of: request, refusal)
        case .finish: return finish(request)
        case .tell(let refusal, let isLast, let isBegun):
            if !isBegun { metrics.inFlight.wrappingAdd(1, ordering: .relaxed) }
            return send(refusal, for: request, isLast: isLast)
        case .cut(let refusal): return cut(request, refusal)
        case .answer(let answer): return send(answer, for: request)
        case .leave, .nothing: return .YES
        }
    }
}

/// Called when a request is over, for any reason.
let requestCompleted: MHD_RequestCompletedCallback = { _, _, context, reason in
    guard let raw = context?.pointee else { return }
    context?.pointee = nil
    let connection = Unmanaged<Request>.fromOpaque(raw)._withUnsafeGuaranteedRef(\.connection)
    connection.endRequest(reason)
}

/// Called when a connection was opened or is about to be closed.
let connectionChanged: MHD_NotifyConnectionCallback = { context, handle, stored, event in
    guard let context, let handle, let stored else { return }
    let server = Unmanaged<Server>.fromOpaque(context).takeUnretainedValue()
    if event == .CONNECTION_NOTIFY_STARTED {
        stored.pointee = Unmanaged.passRetained(server.open(handle)).toOpaque()
    } else if let raw = stored.pointee {
        stored.pointee = nil
        server.closed(Unmanaged<Connection>.fromOpaque(raw).takeRetainedValue())
    }
}

/// Writes a line of libmicrohttpd's own log: mostly clients that leave in the middle of a request.
let libraryLog: shim_log_line = { context, line in
    guard let context, let line else { return }
    let server = Unmanaged<Server>.fromOpaque(context).takeUnretainedValue()
    guard server.logger.level <= .debug else { return }
    var text = String(cString: line)
    while text.last == "\n" { text.removeLast() }
    server.logger.log(.debug, "libmicrohttpd", ("detail", .text(text)))
}

/// Releases the bytes of a reply.
let releaseBytes: MHD_ContentReaderFreeCallback = { context in
    if let context { Unmanaged<AnyObject>.fromOpaque(context).release() }
}

/// Pulls the next piece of a reply.
let pullBody: MHD_ContentReaderCallback = { context, _, buffer, count in
    guard let context, let buffer else { return shim_pull_failed }
    let body = Unmanaged<PullBody>.fromOpaque(context).takeUnretainedValue()
    switch body.read(into: UnsafeMutableRawBufferPointer(start: buffer, count: count)) {
    case .bytes(let written) where written > 0 && written <= count: return written
    case .end: return shim_pull_end
    case .bytes, .failed: return shim_pull_failed
    }
}

/// Closes the source of a reply that is over.
let closeBody: MHD_ContentReaderFreeCallback = { context in
    if let context { Unmanaged<PullBody>.fromOpaque(context).takeRetainedValue().close() }
}
