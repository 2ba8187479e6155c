import '@mantine/core/styles.css';
import 'virtual:theme.css';
import './ui/console.css';
import { MantineProvider } from '@mantine/core';
import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { createQueryClient } from './api/queryClient';
import { createConsoleRouter } from './router';
import { takeInvitation } from './session/invitation';
import { theme } from './ui/theme';

// Before the router looks at the address.
takeInvitation();
const client = createQueryClient();
const router = createConsoleRouter(client);
const place = document.getElementById('root');
if (place) {
    createRoot(place).render(
        <StrictMode>
            <MantineProvider
                theme={theme}
                defaultColorScheme="auto"
                withCssVariables={false}
                withGlobalClasses={false}
            >
                <QueryClientProvider client={client}>
                    <RouterProvider router={router} />
                </QueryClientProvider>
            </MantineProvider>
        </StrictMode>,
    );
}
