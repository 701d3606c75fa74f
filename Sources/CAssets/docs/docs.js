// The page of the operations: shows one of two OpenAPI documents, and sends requests with the sign-in of the console.
const [choice, token, message, home] = ['document', 'token', 'message', 'console'].map(id => document.getElementById(id));
/** The places in which the console keeps a token, and the session of an account. */
const TOKEN = 'holdfast-console-token', SESSION = `holdfast ${location.origin}`;

const signIn = () => sessionStorage.getItem(TOKEN) ?? JSON.parse(sessionStorage.getItem(SESSION))?.token ?? '';

function show() {
  message.textContent = '';
  token.value = signIn();
  SwaggerUIBundle({
    url: choice.value,
    dom_id: '#viewer',
    deepLinking: true,
    docExpansion: 'none',
    filter: true,
    validatorUrl: null,
    requestInterceptor(request) {
      if (signIn()) request.headers.Authorization = `Bearer ${signIn()}`;
      return request;
    },
    responseInterceptor(response) {
      if (response.url.endsWith(choice.value)) {
        message.textContent = response.status === 401 ? 'This service needs a token: sign in at the console, or enter it here.' : '';
      }
      return response;
    },
  });
}

token.addEventListener('change', () => {
  token.value ? sessionStorage.setItem(TOKEN, token.value) : sessionStorage.removeItem(TOKEN);
  show();
});
choice.addEventListener('change', show);
show();
// A service may have no console.
fetch(home.href, {method: 'HEAD'}).then(({ok}) => { home.hidden = !ok; });
